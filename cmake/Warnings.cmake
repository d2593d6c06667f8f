# Warnings and sanitizers of our own code; nothing of it reaches who links the library.
add_library(trcost_warnings INTERFACE)
target_compile_options(trcost_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion
  $<IF:$<BOOL:${TRCOST_UNITY}>,-Wshadow=local,-Wshadow>)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False positives in string concatenation (gcc.gnu.org/PR105329, PR105651).
  target_compile_options(trcost_warnings INTERFACE -Wno-restrict)
  if(TRCOST_UNITY)  # the same of arrays of strings, seen where a folder is one unit
    target_compile_options(trcost_warnings INTERFACE -Wno-array-bounds -Wno-stringop-overread
      -Wno-stringop-overflow -Wno-subobject-linkage)
  endif()
endif()
if(TRCOST_WERROR)
  target_compile_options(trcost_warnings INTERFACE -Werror)
endif()
if(TRCOST_SANITIZE)
  add_compile_options(-fsanitize=${TRCOST_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${TRCOST_SANITIZE})
endif()
# The same arithmetic everywhere: results are the same bytes on any x86-64 or Arm machine.
add_compile_options(-ffp-contract=off)
