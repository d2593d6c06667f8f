// SPDX-License-Identifier: Apache-2.0
#ifdef TRCOST_XLSXWRITER_FILE
#include "report/workbook/xlsx_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "trcost/error.h"

namespace trcost::report {

namespace {

XlsxLibrary load() {
  const auto refuse = [](std::string_view why) {
    throw Error(ErrorKind::data, fmt::format("a workbook needs libxlsxwriter: {}", why),
                "install it (Debian: apt install libxlsxwriter4), or use --format csv");
  };
  void* handle = dlopen(TRCOST_XLSXWRITER_FILE, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) refuse(dlerror());
  XlsxLibrary library;
#define TRCOST_XLSX_LOAD(name)                                                   \
  library.name = reinterpret_cast<decltype(library.name)>(dlsym(handle, #name)); \
  if (library.name == nullptr) refuse("it lacks " #name);
  TRCOST_XLSX_FUNCTIONS(TRCOST_XLSX_LOAD)
#undef TRCOST_XLSX_LOAD
  return library;
}

}  // namespace

const XlsxLibrary& xlsx_library() {
  static const XlsxLibrary library = load();
  return library;
}

}  // namespace trcost::report
#endif
