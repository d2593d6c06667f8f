// SPDX-License-Identifier: Apache-2.0
// libxlsxwriter, loaded when a workbook is asked for: every other command starts without it, and
// the program runs on machines that lack it.
#pragma once

#include <xlsxwriter.h>

#include "quantity/layers.h"

namespace trcost::report {

/// The functions of the library that a workbook needs, under their own names.
struct XlsxLibrary {
#define TRCOST_XLSX_FUNCTIONS(X)                                                              \
  X(workbook_new_opt)                                                                         \
  X(workbook_set_properties)                                                                  \
  X(workbook_add_worksheet)                                                                   \
  X(workbook_add_format)                                                                      \
  X(workbook_close)                                                                           \
  X(workbook_add_chart)                                                                       \
  X(lxw_strerror)                                                                             \
  X(worksheet_write_number)                                                                   \
  X(worksheet_write_string) X(worksheet_write_boolean) X(worksheet_write_blank)               \
      X(worksheet_write_formula_num) X(worksheet_write_formula_str) X(worksheet_set_column)   \
          X(worksheet_freeze_panes) X(worksheet_autofilter) X(worksheet_insert_chart_opt)     \
              X(format_set_bold) X(format_set_num_format) X(format_set_bg_color)              \
                  X(format_set_font_color) X(chart_add_series) X(chart_series_set_name)       \
                      X(chart_series_set_fill) X(chart_title_set_name) X(chart_axis_set_name) \
                          X(chart_axis_set_num_format) X(chart_axis_set_reverse)              \
                              X(chart_legend_set_position)
#define TRCOST_XLSX_MEMBER(name) decltype(&::name) name = nullptr;
  TRCOST_XLSX_FUNCTIONS(TRCOST_XLSX_MEMBER)
#undef TRCOST_XLSX_MEMBER
};

/// Loads the library once; throws Error (data) when the machine does not have it.
const XlsxLibrary& xlsx_library();

}  // namespace trcost::report
