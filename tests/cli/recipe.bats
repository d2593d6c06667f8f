#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# `trcost recipe` and `--recipe` through the real program.

load program

@test "thirty public configurations give their fields, and every key is accounted for" {
  python3 "$BATS_TEST_DIRNAME/../recipe/check_recipes.py" "$TRCOST"
}

@test "a recipe with flags is a scenario that replays" {
  recipe="$BATS_TEST_DIRNAME/../../examples/recipes/axolotl.yaml"
  run_trcost estimate --recipe "$recipe" --samples 52k --gpu 8xh100 --sharding gradients --format json
  [ "$code" -eq 0 ]
  grep -q 'axolotl: 20 keys used' err.txt
  cp out.txt first.json
  jq .scenario first.json >scenario.json
  run_trcost estimate --scenario scenario.json --format json
  cmp <(jq .estimates first.json) <(jq .estimates out.txt)
  # A flag wins over the recipe.
  run_trcost estimate --recipe "$recipe" --samples 52k --gpu 8xh100 --sharding gradients --lora-rank 64 --format json
  holds '.scenario.train.lora_rank == 64'
}

@test "the scenario of a recipe has the flags, names them, and replays" {
  recipe="$BATS_TEST_DIRNAME/../../examples/recipes/axolotl.yaml"
  flags=(--samples 52002 --epochs 5 --micro-batch 3 --sharding gradients --gpu 8xh100)
  run_trcost recipe "$recipe" "${flags[@]}" --format json
  [ "$code" -eq 0 ]
  holds '.scenario | .data.samples == 52002 and .data.epochs == 5 and .train.micro_batch == 3 and
    .hardware.gpus == 8 and .hardware.accelerator == "h100-sxm"'
  holds '[.given[] | .origin] | index("flag --epochs") != null'
  holds '[.missing[].path] | index("data.samples") == null and index("hardware.gpus") == null'
  jq .scenario out.txt >scenario.json
  run_trcost estimate --recipe "$recipe" "${flags[@]}" --format json
  [ "$code" -eq 0 ]
  cp out.txt first.json
  run_trcost estimate --scenario scenario.json --format json
  cmp <(jq .estimates first.json) <(jq .estimates out.txt)
  run_trcost recipe "$recipe" "${flags[@]}"
  grep -q -- '--epochs .* 5 .*flag --epochs' out.txt
}

@test "a scenario file completes a recipe, and the recipe wins over it" {
  recipe="$BATS_TEST_DIRNAME/../../examples/recipes/axolotl.yaml"
  echo '{"hardware": {"gpus": 4}, "data": {"epochs": 9}}' >beneath.json
  run_trcost recipe "$recipe" --scenario beneath.json --format json
  holds '.scenario.hardware.gpus == 4 and .scenario.data.epochs == 3'
}

@test "steps that need the number of GPUs are no tokens of the released model" {
  cat >titan.toml <<'END'
[model]
name = "llama3"
flavor = "8B"
[training]
local_batch_size = 1
seq_len = 8192
steps = 1000
[parallelism]
tensor_parallel_degree = 1
END
  for command in "estimate" "sweep --vary train.micro_batch=1,2" "solve --budget 1000"; do
    # shellcheck disable=SC2086
    run_trcost $command --recipe titan.toml --accelerator h100-sxm
    [ "$code" -ne 0 ]
    grep -q 'steps need --gpus to become tokens' err.txt
  done
  run_trcost estimate --recipe titan.toml --accelerator h100-sxm --gpus 8 --format json
  holds '.estimates[0].tokens.total == 1000 * 8 * 8192'
  run_trcost sweep --recipe titan.toml --accelerator h100-sxm --global-batch 16 --vary hardware.gpus=8,16 --format json
  [ "$code" -eq 0 ]
  holds '[.rows[]["tokens.total"]] | unique == [1000 * 16 * 8192]'
  # Without a global batch, each row has the batch of its GPUs.
  run_trcost sweep --recipe titan.toml --accelerator h100-sxm --vary hardware.gpus=8,16 --format json
  [ "$code" -eq 0 ]
  holds '[.rows[]["tokens.total"]] == [1000 * 8 * 8192, 1000 * 16 * 8192]'
  run_trcost sweep --recipe titan.toml --accelerator h100-sxm --gpus 8 --vary train.micro_batch=1,2 --format json
  holds '[.rows[]["layout.global_batch"]] == [8, 16] and all(.rows[]; .error == "" or .error == null)'
  # A row whose steps give no tokens has no answer, and other rows have theirs.
  run_trcost sweep --recipe titan.toml --accelerator h100-sxm --tp 8 --vary hardware.gpus=8,4 --format json
  [ "$code" -eq 0 ]
  holds '.rows[0].error == null or .rows[0].error == ""'
  holds '.rows[1].error | test("tokens")'
  run_trcost memory --recipe titan.toml --accelerator h100-sxm
  [ "$code" -eq 0 ]
}

@test "a model that a recipe gives by its sizes is estimated, and the scenario replays" {
  cat >train.sh <<'END'
torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 20 --hidden-size 2560 --num-attention-heads 20 \
  --swiglu --ffn-hidden-size 6912 --normalization RMSNorm --disable-bias-linear --position-embedding-type rope \
  --untie-embeddings-and-output-weights --vocab-size 65536 --seq-length 4096 --micro-batch-size 2 \
  --global-batch-size 256 --train-iters 1000 --bf16 --use-distributed-optimizer
END
  run_trcost estimate --recipe train.sh --accelerator h100 --format json
  [ "$code" -eq 0 ]
  # 2 x 65,536 x 2,560 embeddings; per layer 4 x 2,560^2 of attention, 3 x 2,560 x 6,912 of the
  # feed-forward and two norms; one norm at the end.
  holds '.estimates[0].model.params_total == 2*65536*2560 + 20*(4*2560*2560 + 3*2560*6912 + 2*2560) + 2560'
  cp out.txt first.json
  jq .scenario first.json >scenario.json
  run_trcost estimate --scenario scenario.json --format json
  cmp <(jq .estimates first.json) <(jq .estimates out.txt)
}

@test "diff compares two recipes with the same flags" {
  recipe="$BATS_TEST_DIRNAME/../../examples/recipes/axolotl.yaml"
  sed 's/num_epochs: 3/num_epochs: 6/' "$recipe" >new.yaml
  run_trcost diff --recipe "$recipe" new.yaml --samples 52k --gpu 8xh100 --format json
  [ "$code" -eq 0 ]
  grep -q '"data.epochs"' out.txt
  run_trcost diff --recipe "$recipe" new.yaml --samples 52k --gpu 8xh100 --fail-above 50%
  [ "$code" -eq 3 ]
  run_trcost diff --recipe "$recipe" "$recipe" --samples 52k --gpu 8xh100 --fail-above 1%
  [ "$code" -eq 0 ]
  run_trcost diff --recipe "$recipe"
  [ "$code" -eq 2 ]
  # Flags of a scenario change nothing in saved results.
  run_trcost diff a.json b.json --gpus 8
  [ "$code" -eq 2 ]
}

@test "what is no recipe is refused with what to give instead" {
  echo 'print(1)' >train.py
  run_trcost recipe train.py
  [ "$code" -eq 1 ]
  grep -q 'Python are not read' err.txt
  echo 'a: 1' >other.yaml
  run_trcost recipe other.yaml
  [ "$code" -eq 1 ]
  grep -q 'no framework is recognised' err.txt
  printf 'base_model: x\ndatasets: [\n' >broken.yaml
  run_trcost recipe broken.yaml
  [ "$code" -eq 1 ]
  grep -q 'broken.yaml:' err.txt
  run_trcost recipe
  [ "$code" -eq 2 ]
}

@test "secrets do not stand in an output" {
  printf 'base_model: meta-llama/Llama-3.1-8B\ndatasets:\n  - path: x\nhf_token: sesame\nmy_api_key: sesame\n' >secret.yaml
  run_trcost recipe secret.yaml --format json
  [ "$code" -eq 0 ]
  lacks sesame out.txt
}
