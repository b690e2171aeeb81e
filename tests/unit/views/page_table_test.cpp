// The tables of a page: captions, headings and cells for tensors of every rank.
#include "views/page/page_table.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <string_view>

#include "notebook/notebook.hpp"
#include "tensor/layout.hpp"

using attn::Notebook;
using attn::Shape;
using attn::Tensor;
using attn::Var;

namespace {

std::string tables(const Var& node) {
    const attn::Words words("en", "page");
    const attn::Words phrases("en", "program");
    return attn::step_tables(*node.notebook, node.id, {&words, &phrases, {}});
}

bool has(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

std::size_t count(std::string_view text, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
        ++found;
    }
    return found;
}

}  // namespace

TEST_CASE("a single number is a table of one cell, and a vector one of one row") {
    Notebook nb;
    const std::string number = tables(nb.step("total", nb.given(Tensor({}, {2.5F}))));
    CHECK(number ==
          "<table>\n<caption><code>total</code></caption>\n"
          "<thead><tr><td class=corner><th scope=col>value</thead>\n<tbody>\n"
          "<tr><th scope=row>total<td class=b63>2.5000\n</tbody>\n</table>\n");
    const std::string vector = tables(nb.step("weights", nb.given(Tensor({3}, {1, 0, -1})), {"feature"}));
    CHECK(has(vector, "<td class=corner><th scope=col>0<th scope=col>1"));
    CHECK(has(vector, "<th scope=row>weights"));
    CHECK(count(vector, "<td class=") == 4);
}

TEST_CASE("a matrix says what its rows and columns are, by labels where it has one for each") {
    Notebook nb;
    const Var node = nb.step("s", nb.given(Tensor({2, 2}, {1, 2, 3, 4})), {"query", "feature"});
    CHECK(has(tables(node), "<th scope=row>1"));
    nb.label("query", {"a<", "b"});
    const std::string table = tables(node);
    CHECK(has(table, "<caption><code>s</code> <span>rows: query, columns: feature</span></caption>"));
    CHECK(has(table, "<td class=corner>query ↓ feature →"));
    CHECK(has(table, "<th scope=row><i>0</i> a&lt;"));
    CHECK(has(table, "<th scope=col>0"));  // a feature has no label, though there are as many
    nb.label("query", {"a", "b", "c"});
    CHECK(has(tables(node), "<th scope=row>1"));
}

TEST_CASE("an only column is headed by what it is, an only row by its number") {
    Notebook nb;
    const Var sums = nb.step("sums", nb.given(Tensor({2, 1}, {1, 2})), {"token", "feature"});
    CHECK(has(tables(sums), "<th scope=col>feature"));
    const Var row = nb.step("row", nb.given(Tensor({1, 2}, {1, 2})), {"feature", "d_in"});
    CHECK(has(tables(row), "<th scope=row>0"));
}

TEST_CASE("each matrix of a batch is a table that says which it is") {
    Notebook nb;
    Tensor x({2, 3, 2, 2});
    for (std::size_t i = 0; i < x.count(); ++i) {
        x.values()[i] = static_cast<float>(i);
    }
    const std::string table = tables(nb.step("heads", nb.given(x), {"batch", "head", "query", "key"}));
    CHECK(count(table, "<table>") == 6);
    CHECK(has(table, "<caption><code>heads</code> <b>batch 1</b> <b>head 2</b> <span>"));
    CHECK(has(table.substr(table.rfind("<caption>")), ">23."));
    CHECK_FALSE(has(table, "class=part"));
}

TEST_CASE("of a large tensor a part is shown, and how much that is") {
    Notebook nb;
    const std::string table = tables(nb.step("large", nb.given(attn::ones({2, 100, 3}))));
    CHECK(count(table, "<table>") == 2);
    CHECK(count(table, "<tr><th scope=row>") == 2 * 32);
    CHECK(has(table, "2 × 32 × 3 / 2 × 100 × 3."));
}

TEST_CASE("what no scale of colours has is of a class of its own") {
    Notebook nb;
    const float inf = std::numeric_limits<float>::infinity();
    const Tensor numbers({5}, {1, inf, -inf, std::numeric_limits<float>::quiet_NaN(), 0});
    const std::string table = tables(nb.step("x", nb.given(numbers)));
    CHECK(has(table, "<td class=n>inf<td class=m>-inf<td class=n>nan<td class=z>"));
}
