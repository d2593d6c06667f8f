// SPDX-License-Identifier: Apache-2.0
#include "estimate/question/work/field_names.h"

#include "catalog/software/tools.h"
#include "prices/rows/price_book.h"
#include "prices/rows/regions.h"

namespace trcost::estimation {

bool says_size(std::string_view word) {
  return !word.empty() && word.front() >= '0' && word.front() <= '9' && !word.ends_with(".json");
}

std::vector<std::string> known_names(const Catalog& catalog, Names kind) {
  std::vector<std::string> out;
  switch (kind) {
    case Names::none:
      break;
    case Names::accelerators:
      return catalog.names(CatalogKind::accelerators);
    case Names::systems:
      return catalog.names(CatalogKind::systems);
    case Names::stacks:
      out = catalog.names(CatalogKind::stacks);
      for (const catalog::Tool& tool : catalog::training_tools(catalog)) {
        out.push_back(tool.names.front());
      }
      return out;
    case Names::engines:
      return catalog.names(CatalogKind::engines);
    case Names::models:
      return catalog.names(CatalogKind::models);
    case Names::encoders:
      return catalog.names(CatalogKind::encoders);
    case Names::regions:
      for (const Region& region : known_regions(catalog).rows) out.push_back(region.name);
      break;
    case Names::providers:
      for (const PriceRow& row : price_book(catalog).rows) out.push_back(row.provider);
      break;
  }
  return out;
}

void require_name(const Catalog& catalog, Names kind, std::string_view word) {
  switch (kind) {
    case Names::none:
      return;
    case Names::accelerators:
      catalog.accelerator(word);
      return;
    case Names::systems:
      catalog.system(word);
      return;
    case Names::stacks:
      catalog.stack(word);
      return;
    case Names::engines:
      catalog.engine(word);
      return;
    case Names::models:
      if (!says_size(word)) catalog.model(word);
      return;
    case Names::encoders:
      if (!says_size(word)) catalog.encoder(word);
      return;
    case Names::regions:
      if (!is_price_region(price_book(catalog), word)) find_region(known_regions(catalog), word);
      return;
    case Names::providers:
      find_provider(price_book(catalog), word);
      return;
  }
}

}  // namespace trcost::estimation
