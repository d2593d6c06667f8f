// SPDX-License-Identifier: Apache-2.0
// One table of columns: the JSON nests by its paths, the rows carry the same names with dots.
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catch.h"
#include "json/record_json.h"
#include "json/row_writer.h"
#include "report/format/format.h"
#include "text/column.h"
#include "text/held_rows.h"

namespace {

using namespace trcost;
using Json = nlohmann::json;

struct Wheel {
  std::string name;
  std::optional<double> radius;
  bool driven = false;
};
struct Motor {
  double power = 0;
  std::string maker;
};
struct Car {
  std::string plate;
  std::optional<Motor> engine;
  std::vector<Wheel> wheels;
  std::vector<std::string> remarks;
};

using namespace column;

const Columns<Wheel>& wheel_columns() {
  static const Columns<Wheel> table = {
      string("name", member<&Wheel::name>, "where", Rank::key),
      number("size.radius", "m", NumberKind::number, member<&Wheel::radius>, "of the rim"),
      of_kind(
          ColumnKind::size, "size.tyre", [](const Wheel&) { return Value::size(205, 55); }, ""),
      boolean("driven", member<&Wheel::driven>, "by the engine")};
  return table;
}

const Columns<Motor>& motor_columns() {
  static const Columns<Motor> table = {
      number("power", "W", NumberKind::number, member<&Motor::power>, ""),
      string("maker", member<&Motor::maker>, "")};
  return table;
}

const Columns<Car>& car_columns() {
  static const Columns<Car> table = {
      string("plate", member<&Car::plate>, "", Rank::key),
      optional_part<motor_columns, &Car::engine>("engine"),
      list<wheel_columns>("wheels", member<&Car::wheels>, ""),
      list<text_columns>("remarks", member<&Car::remarks>, ""),
      raw_json(
          "raw", [](const Car&) { return std::string_view(R"({"a": 1})"); }, ""),
      integer("total", member<&Car::wheels, &std::vector<Wheel>::size>, "").after_last_row()};
  return table;
}

const Car kCar = {"B-1",
                  Motor{90e3, "Acme, \"Inc\""},
                  {{"left", 0.4, true}, {"right", {}, false}},
                  {"old", "red"}};

}  // namespace

TEST_CASE("JSON is the columns nested by their paths", "[column]") {
  const Json out = Json::parse(json_document(record_of(car_columns(), kCar)));
  CHECK(out == Json::parse(R"({"plate": "B-1", "engine": {"power": 90000, "maker": "Acme, \"Inc\""},
    "wheels": [{"name": "left", "size": {"radius": 0.4, "tyre": [205, 55]}, "driven": true},
               {"name": "right", "size": {"radius": null, "tyre": [205, 55]}, "driven": false}],
    "remarks": ["old", "red"], "raw": {"a": 1}, "total": 2})"));
}

TEST_CASE("an optional part that is not there is null, and its columns are unknown", "[column]") {
  const Car walk = {"B-2", std::nullopt, {{"left", {}, false}}, {}};
  const Json out = Json::parse(json_document(record_of(car_columns(), walk)));
  CHECK(out["engine"].is_null());
  CHECK(out["remarks"] == Json::array());
  CHECK(rows_document(*csv_format.rows, record_of(car_columns(), walk), "wheels") ==
        "plate,name,size.radius,size.tyre,driven,engine.power,engine.maker\n"
        "B-2,left,,205x55,false,,\n");
}

TEST_CASE("CSV and JSON Lines have a line per row, with the scalars beside", "[column]") {
  const Record record = record_of(car_columns(), kCar);
  CHECK(rows_document(*csv_format.rows, record, "wheels") ==
        "plate,name,size.radius,size.tyre,driven,engine.power,engine.maker\n"
        "B-1,left,0.4,205x55,true,90000,\"Acme, \"\"Inc\"\"\"\n"
        "B-1,right,,205x55,false,90000,\"Acme, \"\"Inc\"\"\"\n");
  const std::string lines = rows_document(*jsonl_format.rows, record, "wheels");
  const Json first = Json::parse(lines.substr(0, lines.find('\n')));
  CHECK(first["size.tyre"] == Json::array({205, 55}));
  CHECK(first["engine.power"] == 90000);
  CHECK(first["driven"] == true);
}

TEST_CASE("rows within rows carry the names of what is around them", "[column]") {
  struct Fleet {
    std::vector<Car> cars;
    double size = 0;
  };
  static const auto fleet_columns = []() -> const Columns<Fleet>& {
    static const Columns<Fleet> table = {list<car_columns>("cars", member<&Fleet::cars>, ""),
                                         integer("size", member<&Fleet::size>, "")};
    return table;
  };
  Fleet fleet{{kCar, kCar}, 2};
  fleet.cars[1].plate = "B-9";
  const std::string csv =
      rows_document(*csv_format.rows, record_of(fleet_columns(), fleet), "cars/wheels");
  CHECK(
      csv.starts_with("plate,name,size.radius,size.tyre,driven,engine.power,engine.maker,size\n"));
  CHECK(csv.find("B-9,right,,205x55,false,90000,\"Acme, \"\"Inc\"\"\",2\n") != std::string::npos);
}

TEST_CASE("a list that is flat has its rows in JSON as JSON Lines has them", "[column]") {
  Columns<Car> table;
  for (Column<Car> column : car_columns()) {
    if (column.path == "wheels") column.flat = true;
    table.add({column});
  }
  const Json out = Json::parse(json_document(record_of(table, kCar)));
  CHECK(out["wheels"][0] == Json::parse(R"({"plate": "B-1", "name": "left", "size.radius": 0.4,
    "size.tyre": [205, 55], "driven": true})"));
  CHECK(out["wheels"][1]["size.radius"].is_null());
  const Json schema = Json::parse(json_schema(table, "car", "a car"));
  const Json& wheel = schema["properties"]["wheels"]["items"];
  CHECK(wheel["properties"].contains("size.tyre"));
  CHECK_FALSE(wheel.contains("required"));
}

TEST_CASE("a path past an absent value is unknown", "[column]") {
  static const Columns<Car> table = {
      number("power", "W", NumberKind::number, member<&Car::engine, &Motor::power>, ""),
      string("maker", member<&Car::engine, &Motor::maker>, ""),
      string("first", member<&Car::wheels, at<0>, &Wheel::name>, ""),
      pick<motor_columns, &Car::engine>(ColumnRole::none)};
  const Car walk = {"B-2", std::nullopt, {{"left", {}, false}}, {}};
  CHECK(table[0].number(kCar) == 90e3);
  CHECK(table[1].text(kCar) == "Acme, \"Inc\"");
  CHECK(table[2].text(kCar) == "left");
  CHECK_FALSE(table[0].value(walk).known());
  CHECK_FALSE(table[1].value(walk).known());
  REQUIRE(table.size() == 5);
  CHECK(table[3].path == "power");
  CHECK(table[4].text(kCar) == "Acme, \"Inc\"");
  CHECK_FALSE(table[4].value(walk).known());
}

TEST_CASE("rows written one after another are the document", "[column]") {
  const Record record = record_of(car_columns(), kCar);
  CHECK(rows_document(*json_format.rows, record, "wheels") == json_document(record));
  const Car bare = {"B-3", {}, {}, {}};
  CHECK(rows_document(*json_format.rows, record_of(car_columns(), bare), "wheels") ==
        json_document(record_of(car_columns(), bare)));
}

TEST_CASE("a line is split into the cells that it was written of", "[column]") {
  Car car = kCar;
  car.plate = "B,1 \"x\" \\";
  const Record record = record_of(car_columns(), car);
  for (const FormatInfo& info : formats()) {
    const RowWriter* writer = format_writer(info.format).rows;
    if (info.form != Form::lines) continue;
    INFO(info.name);
    REQUIRE(writer != nullptr);
    REQUIRE(writer->split != nullptr);
    const RowPlan plan(record.table(), "wheels");
    plan.each(record, [&](std::span<const Record> way) {
      std::string line;
      writer->row(line, plan, way);
      REQUIRE(line.ends_with('\n'));
      line.pop_back();
      std::vector<std::string_view> cells;
      REQUIRE(writer->split(line, plan, cells));
      REQUIRE(cells.size() == plan.cells().size());
      for (std::size_t i = 0; i < cells.size(); ++i) {
        std::string cell;
        const RowCell& of = plan.cells()[i];
        writer->cell(cell, way[of.level].value(of.column), of.info->path);
        CHECK(cells[i] == cell);
      }
      CHECK_FALSE(writer->split(line + ",0", plan, cells));
      CHECK_FALSE(writer->split(line.substr(0, line.size() / 2), plan, cells));
    });
  }
}

TEST_CASE("rows that wait for the last one keep every value", "[column]") {
  std::string bytes;
  for (const Wheel& wheel : kCar.wheels) store_row(bytes, record_of(wheel_columns(), wheel));
  HeldRows held(wheel_columns());
  held.add(bytes);
  held.add(bytes);
  CHECK(held.count() == 4);
  struct Sink final : RowSink {
    void row(const Record& row) override {
      const Record real = record_of(wheel_columns(), kCar.wheels[at++ % 2]);
      for (std::size_t i = 0; i < row.table().size(); ++i) {
        CHECK(row.table().info(i).path == real.table().info(i).path);
        std::string kept;
        std::string given;
        append_json(kept, row.value(i), "kept");
        append_json(given, real.value(i), "given");
        CHECK(kept == given);
      }
    }
    std::size_t at = 0;
  } sink;
  held.each(sink);
  CHECK(sink.at == 4);
}
