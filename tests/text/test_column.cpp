// SPDX-License-Identifier: Apache-2.0
// One table of columns: the JSON nests by its paths, the rows carry the same names with dots.
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catch.h"
#include "text/column.h"
#include "text/record_json.h"
#include "text/row_writer.h"

namespace {

using namespace trcost;
using nlohmann::json;

struct Wheel {
  std::string name;
  std::optional<double> radius;
  bool driven = false;
};
struct Engine {
  double power = 0;
  std::string maker;
};
struct Car {
  std::string plate;
  std::optional<Engine> engine;
  std::vector<Wheel> wheels;
  std::vector<std::string> remarks;
};

const Columns<Wheel>& wheel_columns() {
  static const Columns<Wheel> table = {
      column::text(
          "name", [](const Wheel& w) -> auto& { return w.name; }, "where", Rank::key),
      column::number(
          "size.radius", "m", NumberKind::number, [](const Wheel& w) { return w.radius; },
          "of the rim"),
      column::of_kind(
          ColumnKind::size, "size.tyre", [](const Wheel&) { return Value::size(205, 55); }, ""),
      column::boolean(
          "driven", [](const Wheel& w) { return w.driven; }, "by the engine")};
  return table;
}

const Columns<Engine>& engine_columns() {
  static const Columns<Engine> table = {
      column::number(
          "power", "W", NumberKind::number, [](const Engine& e) { return e.power; }, ""),
      column::text(
          "maker", [](const Engine& e) -> auto& { return e.maker; }, "")};
  return table;
}

const Columns<Car>& car_columns() {
  static const Columns<Car> table = [] {
    Columns<Car> t = {column::text(
        "plate", [](const Car& c) -> auto& { return c.plate; }, "", Rank::key)};
    t.lift < [](const Car& c) -> auto& {
      return c.engine;
    }
    , engine_columns > ("engine", true);
    t.add(
        {column::list<wheel_columns>(
             "wheels", [](const Car& c) -> auto& { return c.wheels; }, ""),
         column::list<text_columns>(
             "remarks", [](const Car& c) -> auto& { return c.remarks; }, ""),
         column::json(
             "raw", [](const Car&) { return std::string_view(R"({"a": 1})"); }, ""),
         column::after_rows(column::number(
             "total", "", NumberKind::integer, [](const Car& c) { return c.wheels.size(); }, ""))});
    return t;
  }();
  return table;
}

const Car kCar = {"B-1",
                  Engine{90e3, "Acme, \"Inc\""},
                  {{"left", 0.4, true}, {"right", {}, false}},
                  {"old", "red"}};

}  // namespace

TEST_CASE("JSON is the columns nested by their paths", "[column]") {
  const json out = json::parse(json_document(record_of(car_columns(), kCar)));
  CHECK(out == json::parse(R"({"plate": "B-1", "engine": {"power": 90000, "maker": "Acme, \"Inc\""},
    "wheels": [{"name": "left", "size": {"radius": 0.4, "tyre": [205, 55]}, "driven": true},
               {"name": "right", "size": {"radius": null, "tyre": [205, 55]}, "driven": false}],
    "remarks": ["old", "red"], "raw": {"a": 1}, "total": 2})"));
}

TEST_CASE("an optional part that is not there is null, and its columns are unknown", "[column]") {
  const Car walk = {"B-2", std::nullopt, {{"left", {}, false}}, {}};
  const json out = json::parse(json_document(record_of(car_columns(), walk)));
  CHECK(out["engine"].is_null());
  CHECK(out["remarks"] == json::array());
  CHECK(csv_document(record_of(car_columns(), walk), "wheels") ==
        "plate,name,size.radius,size.tyre,driven,engine.power,engine.maker\n"
        "B-2,left,,205x55,false,,\n");
}

TEST_CASE("CSV and JSON Lines have a line per row, with the scalars beside", "[column]") {
  const Record record = record_of(car_columns(), kCar);
  CHECK(csv_document(record, "wheels") ==
        "plate,name,size.radius,size.tyre,driven,engine.power,engine.maker\n"
        "B-1,left,0.4,205x55,true,90000,\"Acme, \"\"Inc\"\"\"\n"
        "B-1,right,,205x55,false,90000,\"Acme, \"\"Inc\"\"\"\n");
  const std::string lines = jsonl_document(record, "wheels");
  const json first = json::parse(lines.substr(0, lines.find('\n')));
  CHECK(first["size.tyre"] == json::array({205, 55}));
  CHECK(first["engine.power"] == 90000);
  CHECK(first["driven"] == true);
}

TEST_CASE("rows within rows carry the names of what is around them", "[column]") {
  struct Fleet {
    std::vector<Car> cars;
    double size = 0;
  };
  static const auto fleet_columns = []() -> const Columns<Fleet>& {
    static const Columns<Fleet> table = {
        column::list<car_columns>(
            "cars", [](const Fleet& f) -> auto& { return f.cars; }, ""),
        column::number(
            "size", "", NumberKind::integer, [](const Fleet& f) { return f.size; }, "")};
    return table;
  };
  Fleet fleet{{kCar, kCar}, 2};
  fleet.cars[1].plate = "B-9";
  const std::string csv = csv_document(record_of(fleet_columns(), fleet), "cars/wheels");
  CHECK(
      csv.starts_with("plate,name,size.radius,size.tyre,driven,engine.power,engine.maker,size\n"));
  CHECK(csv.find("B-9,right,,205x55,false,90000,\"Acme, \"\"Inc\"\"\",2\n") != std::string::npos);
}
