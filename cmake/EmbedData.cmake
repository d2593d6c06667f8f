# Puts every file of a data folder into the library, so that a copied executable needs no files.
# The assembler's .incbin takes the bytes as they are: no generated megabytes of C++.
function(trcost_embed_data target folder)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/*.json ${folder}/*.csv)
  list(SORT files)
  set(assembly "${CMAKE_CURRENT_BINARY_DIR}/embedded_data.cpp")
  set(declarations "")
  set(table "")
  set(blobs "")
  set(depends "")
  set(index 0)
  foreach(file IN LISTS files)
    string(APPEND blobs "    \".global trcost_data_${index}\\ntrcost_data_${index}:\\n.incbin \\\"${folder}/${file}\\\"\\n\"\n")
    string(APPEND blobs "    \".global trcost_data_${index}_end\\ntrcost_data_${index}_end:\\n.byte 0\\n\"\n")
    string(APPEND declarations "extern \"C\" const char trcost_data_${index}[], trcost_data_${index}_end[];\n")
    string(APPEND table "    {\"${file}\", trcost_data_${index}, trcost_data_${index}_end},\n")
    list(APPEND depends "${folder}/${file}")
    math(EXPR index "${index} + 1")
  endforeach()
  file(CONFIGURE OUTPUT ${assembly} @ONLY CONTENT [[
// Generated from the data folder.
#include "catalog/embedded.h"
@declarations@
asm(".section .rodata\n"
@blobs@    ".text\n");
namespace trcost {
static const EmbeddedFile table[] = {
@table@};
std::span<const EmbeddedFile> embedded_files() { return table; }
}  // namespace trcost
]])
  set_source_files_properties(${assembly} PROPERTIES OBJECT_DEPENDS "${depends}")
  target_sources(${target} PRIVATE ${assembly})
endfunction()
