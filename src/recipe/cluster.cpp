// SPDX-License-Identifier: Apache-2.0
#include "recipe/cluster.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "catalog/hardware/machines.h"
#include "prices/rows/price_book.h"
#include "prices/rows/regions.h"
#include "quantity/suggest.h"
#include "scenario/fields.h"
#include "trcost/numbers.h"

namespace trcost::recipe {
namespace {

// A count and the place that tells it.
struct Count {
  double gpus = 0;
  std::string of;  // variable whose keys tell it
};

// Schedulers call the card of 40 GB A100, and that of 80 GB A100-80GB.
void note_accelerator(Workings& work, std::string typed) {
  if (work.has("hardware.accelerator") || typed.empty()) return;
  typed = lower_case(typed);
  if (typed.starts_with("gpu:")) typed.erase(0, 4);
  if (typed.starts_with("nvidia_")) typed.erase(0, 7);
  if (typed == "a100") typed = "a100-sxm-40gb";
  if (typed == "v100") typed = "v100-sxm-16gb";
  const std::string entry = work.catalog().entry_of(CatalogKind::accelerators, typed);
  if (!entry.empty()) work.set("hardware.accelerator", entry);
}

// `gpu:h100:8`, `h100:8`, `8`: the count, with the name noted.
std::optional<double> read_counted(Workings& work, const std::string& typed) {
  const std::size_t comma = std::min(typed.find(','), typed.size());
  const std::string first = typed.substr(0, comma);
  const std::string plain = first.substr(0, first.find('('));
  const std::size_t colon = plain.rfind(':');
  const std::size_t start = colon == plain.npos ? 0 : colon + 1;
  const std::optional<double> count = number_of(plain.substr(start));
  note_accelerator(work, count ? plain.substr(0, start > 0 ? start - 1 : 0) : plain);
  return count ? count : 1;
}

// A machine type of a cloud: its accelerators, and how many a node has.
std::optional<double> read_machine(Workings& work) {
  if (!work.has("instance")) return std::nullopt;
  const auto machine = find_machine(work.catalog(), work.text("instance"));
  if (!machine) return std::nullopt;
  note_accelerator(work, machine->name);
  return machine->count;
}

std::optional<double> nodes_of(Workings& work, std::string_view variable) {
  if (work.is_unknown(variable)) return std::nullopt;
  if (!work.has(variable)) return 1;
  return work.number(variable);  // nothing for a range a:b
}

// Everything that tells how many there are, the strongest first.
std::vector<Count> counts_of(Workings& work) {
  std::vector<Count> out;
  const auto add = [&](std::optional<double> gpus, const char* of) {
    if (gpus && *gpus >= 1) out.push_back({*gpus, of});
  };
  const auto product = [](std::optional<double> a, std::optional<double> b) {
    return a && b ? std::optional(*a * *b) : std::nullopt;
  };
  const std::optional<double> nodes = nodes_of(work, "nodes");
  add(work.number("gpus"), "gpus");
  add(work.number("composer_world"), "composer_world");
  const std::optional<double> each = work.number("gpus_per_node");
  if (work.has("nodes")) add(product(nodes, each), "gpus_per_node");
  add(work.number("job_gpus"), "job_gpus");
  const std::optional<double> slurm_nodes = nodes_of(work, "slurm_nodes");
  if (work.has("slurm_gpus")) {
    add(product(slurm_nodes, read_counted(work, work.text("slurm_gpus"))), "slurm_gpus");
  }
  if (const auto per_task = work.number("gpus_per_task")) {
    const auto tasks = work.number("tasks");
    const auto per_node = product(slurm_nodes, work.number("tasks_per_node").value_or(1));
    add(product(per_task, tasks ? tasks : per_node), "gpus_per_task");
  }
  note_accelerator(work, work.text("card"));
  if (work.has("slurm_all")) add(read_counted(work, work.text("slurm_all")), "slurm_all");
  const std::optional<double> of_machine = read_machine(work);
  if (work.has("sky_accelerators")) {
    const std::string typed = work.text("sky_accelerators");
    if (typed.find(',') != typed.npos) {
      work.report("sky_accelerators", "alternatives: price each with --accelerator");
    } else {
      const std::optional<double> in_node = read_counted(work, typed);
      add(product(nodes_of(work, "sky_nodes"), in_node), "sky_accelerators");
      constexpr double kUsual = 8;
      if (in_node && *in_node < kUsual && work.number("sky_nodes").value_or(1) > 1) {
        work.report("sky_nodes", "nodes are counted with as many GPUs as the catalog's have");
      }
    }
  } else {
    add(product(nodes_of(work, work.has("sky_nodes") ? "sky_nodes" : "slurm_nodes"), of_machine),
        "instance");
  }
  // A launcher that names no nodes runs on each of the job's.
  const bool job = !out.empty();
  const bool lone = !work.has("nodes") && !work.is_unknown("nodes") && !job;
  if (lone && !work.has("file_gpus")) add(each, "gpus_per_node");
  add(work.number("file_gpus"), "file_gpus");
  if (work.has("cards")) {
    const std::string cards = work.text("cards");
    add(1.0 + static_cast<double>(std::ranges::count(cards, ',')), "cards");
  }
  return out;
}

// The degrees of a framework whose file has all of them.
std::optional<double> product_of_degrees(Workings& work) {
  const double rest =
      work.degree(Field::layout_tp) * work.degree(Field::layout_pp) * work.degree(Field::layout_cp);
  if (work.number("layout.dp")) return *work.number("layout.dp") * rest;
  // In axolotl the ranks of a group of experts are further ones.
  const double experts = work.table().name == "axolotl" ? work.number("layout.ep").value_or(1) : 1;
  const double shards = work.number("shards").value_or(experts > 1 ? 1 : -1);
  if (shards > 0 && (work.is_group("trainer") || work.is_group("titan"))) {
    return shards * experts * work.number("replicas").value_or(1) * rest;
  }
  return std::nullopt;
}

// Groups of OpenRLHF: those that share cards count once, engines have their own unless all share.
std::optional<double> groups_of_openrlhf(Workings& work) {
  if (!work.number("actor_gpus")) return std::nullopt;
  const auto group = [&](const char* nodes, const char* gpus) {
    return work.number(nodes).value_or(1) * work.number(gpus).value_or(0);
  };
  const double actor = group("actor_nodes", "actor_gpus");
  if (work.is("rollout.placement", "colocated")) return actor;
  // Asynchronous engines have GPUs of their own even if all models that learn share theirs.
  const bool all = work.has("colocate_all");
  const double critic = all ? 0 : group("critic_nodes", "critic_gpus");
  const bool with_actor = all || work.has("colocate_actor_ref");
  const double reference = with_actor ? 0 : group("ref_nodes", "ref_gpus");
  const bool with_critic = all || work.has("colocate_critic_reward");
  const double reward = with_critic ? 0 : group("reward_nodes", "reward_gpus");
  const double engines =
      work.number("engines").value_or(0) * work.number("rollout.generation_tp").value_or(1);
  if (engines > 0) work.set("rollout.generation_gpus", engines);
  return actor + critic + reference + reward + engines;
}

// GPUs by DeepSpeed's rule: train_batch_size is micro-batch x accumulation x ranks. 0 without it.
double ranks_of_deepspeed(const Workings& work) {
  const auto whole = work.number("ds_global"), micro = work.number("ds_micro"),
             accumulation = work.number("ds_accumulation");
  if (!whole || !micro || !accumulation || *micro * *accumulation <= 0) return 0;
  const double ranks = *whole / (*micro * *accumulation);
  return ranks == std::floor(ranks)
             ? ranks * work.degree(Field::layout_tp) * work.degree(Field::layout_pp) *
                   work.degree(Field::layout_cp)
             : 0;
}

// Smallest number that the degrees need. Expert parallelism lies within data parallelism.
double least_gpus(const Workings& work, double default_etp) {
  const double tp = work.degree(Field::layout_tp), pp = work.degree(Field::layout_pp);
  const double experts =
      work.degree(Field::layout_ep) * work.number("layout.etp").value_or(default_etp);
  const double inner = tp * work.degree(Field::layout_cp);
  const bool megatron =
      work.is_group("megatron") || work.has("verl_megatron") || work.is("megatron", "1");
  return pp * (megatron ? std::max(inner, experts) : inner);
}

}  // namespace

void find_gpus(Workings& work) {
  const std::vector<Count> counts = counts_of(work);
  // GPUs of a launcher win over those of a file, and cards that are visible say the least.
  constexpr std::string_view kWeak[] = {"cards", "file_gpus"};
  const auto other = std::ranges::find_if(counts, [&](const Count& count) {
    const bool weak = std::ranges::find(kWeak, count.of) != std::end(kWeak);
    return count.gpus != counts.front().gpus && !weak;
  });
  double gpus = 0;
  if (other != counts.end()) {
    const std::string why = fmt::format("the files say {} and {}", format_exact(counts[0].gpus),
                                        format_exact(other->gpus));
    work.report(other->of, why);
    work.ask(Field::hardware_gpus, why);
  } else if (!counts.empty() && counts.front().of == "cards" && work.has("accelerate_absent")) {
    work.ask(Field::hardware_gpus, "the file of Accelerate is not beside the recipe");
  } else if (!counts.empty()) {
    gpus = counts.front().gpus;
  } else if (const auto product = product_of_degrees(work)) {
    gpus = *product;
  } else {
    gpus = groups_of_openrlhf(work).value_or(ranks_of_deepspeed(work));
  }
  // ms-swift starts one process unless NPROC_PER_NODE says more, and spreads the layers of a model
  // over the cards that it sees.
  if (const std::string cards = work.text("cards");
      work.table().name == "ms-swift" && !cards.empty() && !work.has("launched")) {
    const double visible = 1.0 + static_cast<double>(std::ranges::count(cards, ','));
    const double processes = work.number("gpus_per_node").value_or(1);
    if (visible > processes && nodes_of(work, "nodes") == 1) {
      gpus = visible;
      work.set("processes", processes);
      work.report("cards", "a process spreads the layers over several cards by device_map");
    }
  }
  const double etp = work.number("default_etp").value_or(work.degree(Field::layout_tp));
  if (gpus > 0 && gpus < least_gpus(work, etp) && gpus >= least_gpus(work, 1)) {
    work.ask(Field::layout_etp, "as the tensor-parallel degree it needs more GPUs than there are");
    work.set("open_etp", "1");
  } else if (gpus > 0 && gpus < least_gpus(work, etp)) {
    const std::string why = "the GPUs of the launcher are fewer than the layout needs";
    work.report("nodes", why);
    work.report("gpus_per_node", why);
    gpus = 0;
    work.ask(Field::hardware_gpus, why);
  }
  if (gpus >= 1) work.set("hardware.gpus", gpus);
  work.ask(Field::hardware_gpus, "the number of GPUs is set by the launcher");
}

void find_cloud(Workings& work) {
  // SkyPilot's `infra: aws/us-east-1/us-east-1a`, before 2025 `cloud: aws` and `region: us-east-1`.
  const std::string infra = work.text("sky_infra");
  const bool one = !infra.empty();
  const std::size_t slash = std::min(infra.find('/'), infra.size());
  const std::string rest = infra.substr(std::min(slash + 1, infra.size()));
  const std::string cloud = one ? infra.substr(0, slash) : work.text("sky_cloud");
  const std::string region = one ? rest.substr(0, rest.find('/')) : work.text("sky_region");
  const auto given = [](const std::string& name) { return !name.empty() && name != "*"; };
  if (!given(cloud) && !given(region)) return;
  const auto* provider = prices::known_provider(prices::price_book(work.catalog()), cloud);
  if (provider != nullptr) {
    work.set("cost.provider", provider->name);
  } else if (given(cloud)) {
    work.report(one ? "sky_infra" : "sky_cloud", "no prices of this cloud: set --price");
  }
  if (!given(region)) return;
  if (prices::known_region(prices::known_regions(work.catalog()), region) != nullptr) {
    work.set("cost.region", region);
  } else {
    work.report(one ? "sky_infra" : "sky_region", "an unknown region: set --region");
  }
}

void note_kubernetes(const Facts& facts, Workings& work) {
  // A role is the path up to its template; the pods of a role are its replicas.
  std::map<std::string, double, std::less<>> replicas, gpus;
  for (const Fact& fact : facts) {
    const std::optional<double> value = number_of(fact.value);
    if (!value) continue;
    const std::size_t at = fact.key.find(".template.");
    const std::string role = fact.key.substr(0, at == fact.key.npos ? fact.key.rfind('.') : at);
    if (fact.key.ends_with("limits.nvidia.com/gpu") || fact.key.ends_with("limits.amd.com/gpu")) {
      const std::size_t pod = fact.key.find(".resourcesPerNode.");
      gpus[pod == fact.key.npos ? role : fact.key.substr(0, pod)] += *value;
    } else if (fact.key.ends_with(".replicas") || fact.key.ends_with(".parallelism") ||
               fact.key.ends_with(".completions") || fact.key.ends_with(".numNodes")) {
      const std::string of = fact.key.substr(0, fact.key.rfind('.'));
      const bool again = fact.key.ends_with(".completions") && replicas.contains(of);
      if (!again) replicas[of] = *value;
    }
  }
  double all = 0;
  for (const auto& [role, each] : gpus) {
    double pods = each;
    for (const auto& [of, count] : replicas) {
      if (role.starts_with(of) && (role.size() == of.size() || role[of.size()] == '.'))
        pods *= count;
    }
    all += pods;
  }
  if (all > 0) work.set("job_gpus", all);
}

}  // namespace trcost::recipe
