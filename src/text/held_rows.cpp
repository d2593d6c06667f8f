// SPDX-License-Identifier: Apache-2.0
#include "text/held_rows.h"

#include <cstring>
#include <vector>

namespace trcost::text {

namespace {

using Length = std::uint32_t;

template <class T>
void put(std::string& out, const T& value) {
  const std::size_t at = out.size();
  out.resize(at + sizeof value);
  std::memcpy(out.data() + at, &value, sizeof value);
}

template <class T>
T take(std::string_view& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
  return value;
}

void put_value(std::string& out, const Value& value) {
  put(out, value.kind);
  switch (value.kind) {
    case Value::Kind::unknown:
      return;
    case Value::Kind::number:
    case Value::Kind::boolean:
      return put(out, value.number);
    case Value::Kind::size:
      put(out, value.number);
      return put(out, value.other);
    case Value::Kind::text:
    case Value::Kind::json:
      put(out, static_cast<Length>(value.text.size()));
      out += value.text;
  }
}

// Reads one value. Its text points into the bytes.
Value take_value(std::string_view& bytes) {
  Value out;
  out.kind = take<Value::Kind>(bytes);
  switch (out.kind) {
    case Value::Kind::unknown:
      break;
    case Value::Kind::number:
    case Value::Kind::boolean:
      out.number = take<double>(bytes);
      break;
    case Value::Kind::size:
      out.number = take<double>(bytes);
      out.other = take<double>(bytes);
      break;
    case Value::Kind::text:
    case Value::Kind::json: {
      const auto length = take<Length>(bytes);
      out.text = bytes.substr(0, length);
      bytes.remove_prefix(length);
    }
  }
  return out;
}

}  // namespace

void store_row(std::string& out, const Record& row) {
  const std::size_t begin = out.size();
  put(out, Length{0});
  for (std::size_t i = 0; i < row.table().size(); ++i) put_value(out, row.value(i));
  const auto length = static_cast<Length>(out.size() - begin - sizeof(Length));
  std::memcpy(out.data() + begin, &length, sizeof length);
}

void HeldRows::add(std::string_view rows) {
  bytes_ += rows;
  for (; !rows.empty(); ++count_) rows.remove_prefix(take<Length>(rows));
}

void HeldRows::each(RowSink& sink) const {
  std::vector<Value> values(size());
  for (std::string_view rest = bytes_; !rest.empty();) {
    take<Length>(rest);
    for (Value& value : values) value = take_value(rest);
    sink.row({*this, &values});
  }
}

Value HeldRows::value(const void* subject, std::size_t column) const {
  return (*static_cast<const std::vector<Value>*>(subject))[column];
}

}  // namespace trcost::text
