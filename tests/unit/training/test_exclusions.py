"""No project that search is measured on may be trained on: neither those of the public benchmark nor those of our own."""

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
_PATHS = [*sys.path]
sys.path.insert(0, str(ROOT / "training"))
try:
    from exclusions import excluded_name, excluded_path
finally:
    sys.path[:] = _PATHS

LISTS = [ROOT / "bench" / "quality" / name for name in ("repositories.json", "blind.json")]
OWN = [one for path in LISTS for one in json.loads(path.read_text())["repositories"]]
# The list that comes with the public benchmark, name for name.
_PUBLIC = """
    Alamofire/Alamofire Bash-it/bash-it DapperLib/Dapper FasterXML/jackson-databind Hejsil/zig-clap
    JamesNK/Newtonsoft.Json JetBrains/Exposed Kotlin/kotlinx.coroutines MinishLab/model2vec Seldaek/monolog
    SnapKit/SnapKit abseil/abseil-cpp aio-libs/aiohttp apache/commons-lang axios/axios bats-core/bats-core
    circe/circe colinhacks/zod curl/curl echasnovski/mini.nvim elixir-ecto/ecto elixir-plug/plug encode/httpx
    encode/starlette expressjs/express fastapi/fastapi fmtlib/fmt folke/lazy.nvim gin-gonic/gin go-chi/chi
    google/gson guzzle/guzzle haskell/aeson http4s/http4s jgm/pandoc ktorio/ktor laravel/framework libuv/libuv
    neuecc/MessagePack-CSharp nlohmann/json nvim-telescope/telescope.nvim nvm-sh/nvm pallets/click pallets/flask
    phoenixframework/phoenix psf/requests pydantic/pydantic rack/rack rails/rails redis/redis reduxjs/redux
    serde-rs/serde sinatra/sinatra spf13/cobra tokio-rs/axum tokio-rs/tokio trpc/trpc typelevel/cats vapor/vapor
    vitest-dev/vitest xmonad/xmonad ziglang/zig zigtools/zls
"""
PUBLIC = _PUBLIC.split()
# What else is called so must not go: the owner, or another name of theirs, tells them.
TOO_GENERAL = {"framework", "json"}


@pytest.mark.parametrize("repository", PUBLIC)
def test_the_public_benchmarks_projects_are_left_out(repository):
    owner, name = repository.split("/")
    assert excluded_name(f"{owner}-{name}")
    assert (excluded_name(name) and excluded_path(f"vendor/{name}/main.c")) is (name not in TOO_GENERAL)


@pytest.mark.parametrize("package", ["php-laravel-framework", "nlohmann-json3-dev", "illuminate-support"])
def test_projects_with_names_too_general_go_by_others(package):
    assert excluded_name(package)


def test_vendored_copies_of_projects_with_names_too_general_go_by_others():
    assert excluded_path("vendor/laravel/framework/src/Illuminate/Bus/Batch.php")
    assert excluded_path("include/nlohmann/json.hpp")


@pytest.mark.parametrize("name, mirror", [(one["name"], one["mirror"]) for one in OWN])
def test_our_own_benchmarks_repositories_are_left_out(name, mirror):
    for package in (name, f"python3-{name}", f"@{name}/core", mirror.replace("/", "-")):
        assert package == "." or excluded_name(package), package
    assert excluded_path(f"vendor/{name}/main.c")
    assert excluded_path(f"third_party/{name}-1.2/src/main.c")


@pytest.mark.parametrize("package", ["go-task-bin", "@unjs/core", "golang-github-go-task-task-dev", "reactor-core"])
def test_our_own_benchmarks_repositories_are_left_out_by_who_they_belong_to(package):
    assert excluded_name(package)


@pytest.mark.parametrize("package", ["numpy", "left-pad", "json5", "framework7", "librust-rand-dev"])
def test_others_are_not(package):
    assert not excluded_name(package)
