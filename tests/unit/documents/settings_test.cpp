// Settings in the code of documents: what each shown expression depends on.
#include "documents/settings.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using attn::Document;
using attn::DocumentSettings;
using attn::Item;

namespace {

// Lists the shown expressions of a session with their shape, lesson and settings.
std::string shown_by(std::string_view cells) {
    Document document;
    std::size_t count = 0;
    while (!cells.empty()) {
        const std::size_t end = std::min(cells.find("\n---\n"), cells.size());
        document.items.push_back({Item::Kind::code,
                                  std::string(cells.substr(0, end)),
                                  {.cell = count, .execution_count = count + 1}});
        ++count;
        cells.remove_prefix(std::min(end + 5, cells.size()));
    }
    const DocumentSettings settings = attn::read_settings(document);
    std::string all;
    for (const attn::ShownExpression& shown : settings.shown) {
        all += fmt::format("{}: ", shown.expression->source);
        if (shown.sizes) {
            all += fmt::format("({}) ", fmt::join(*shown.sizes, ", "));
        }
        if (shown.lesson) {
            all += fmt::format("of {} ", settings.lessons[*shown.lesson].name);
        }
        for (const attn::StatedSetting& setting : shown.settings) {
            all += fmt::format("{}={}@{} ", setting.parameter, setting.value, *setting.place.cell);
        }
        all.back() = '\n';
    }
    return all;
}

}  // namespace

TEST_CASE("each shown expression has the seed and the sizes of the weights that it depends on") {
    CHECK(shown_by("import torch as t\n"
                   "inputs = t.tensor([[0.43, 0.15, 0.89],  # Your\n"
                   "                   [0.55, 0.87, 0.66]]) # journey\n"
                   "d_in, d_out = inputs.shape[1], 2\n"
                   "---\n"
                   "t.manual_seed(123)\n"
                   "W = t.nn.Parameter(t.rand(d_in, d_out))\n"
                   "print(\"keys:\", inputs @ W, f\"{W=}\")\n"
                   "---\n"
                   "t.manual_seed(789)\n"
                   "layer = t.nn.Linear(d_in, 4, bias=False)\n"
                   "weights = t.softmax(layer(inputs), dim=-1)\n"
                   "weights.T\n"
                   "---\n"
                   "t.manual_seed(5)\n"
                   "t.nn.Dropout(0.5)(weights)") ==
          "inputs @ W: (2, 2) of inputs seed=123@1 d_in=3@1 d_out=2@1\n"
          "W: (3, 2) seed=123@1 d_in=3@1 d_out=2@1\n"
          "weights.T: (4, 2) of inputs seed=789@2 d_in=3@2 d_out=4@2 qkv_bias=false@2\n"
          "t.nn.Dropout(0.5)(weights): (2, 4) of inputs seed=789@2 d_in=3@2 d_out=4@2 qkv_bias=false@2 "
          "dropout=0.5@3 dropout_seed=5@3\n");
}

TEST_CASE("constructors are followed into the reader's classes, and calls into forward") {
    constexpr std::string_view classes =
        "from torch import nn, tensor\n"
        "class Base(nn.Module):\n"
        "    def __init__(self, breite, aus, rate=0.1, n_heads=1):\n"
        "        super().__init__()\n"
        "        self.q, self.k = (nn.Linear(breite, aus, bias=False) for _ in range(2))\n"
        "        self.drop = nn.Dropout(rate)\n"
        "    def forward(self, x):\n"
        "        print(x.shape, 'q', self.q(x))\n"
        "        return self.drop(self.k(x))\n"
        "class Mine(Base):\n"
        "    def __init__(self, cfg):\n"
        "        super().__init__(cfg['emb'], cfg['emb'], n_heads=cfg['heads'])\n"
        "def fest(s=42):\n"
        "    torch.manual_seed(s); np.random.seed(s)\n"
        "---\n"
        "CFG = {'emb': 3, 'heads': 1}\n"
        "rows = [[1.0, 2, 3], [4, 5, 6]]\n"
        "x = tensor(rows)\n"
        "fest()\n"
        "out = Mine(CFG)(x)\n"
        "print(out)\n";
    CHECK(shown_by(classes) ==
          "x.shape: of x\n"
          "self.q(x): (2, 3) of x seed=42@0 d_in=3@0 d_out=3@0 qkv_bias=false@0 dropout=0.1@0\n"
          "out: (2, 3) of x seed=42@0 d_in=3@0 d_out=3@0 qkv_bias=false@0 dropout=0.1@0\n");
    CHECK(
        shown_by("from book import MultiHeadAttention as MHA\n"
                 "batch = torch.stack([torch.tensor([[1., 2.]])] * 2)\n"
                 "torch.manual_seed(7)\n"
                 "MHA(d_in=2, d_out=4, context_length=1, dropout=0.0, num_heads=2)(batch)") ==
        "MHA(d_in=2, d_out=4, context_length=1, dropout=0.0, num_heads=2)(batch): of batch seed=7@0 d_in=2@0 "
        "d_out=4@0 context_length=1@0 dropout=0@0 num_heads=2@0 batch=2@0\n");
}
