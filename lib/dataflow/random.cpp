// Random numbers: seeds, generators, draws and dropout.
#include "dataflow/interpreter.hpp"
#include "tensor/elementwise.hpp"

namespace attn::flow {

std::optional<Value> Interpreter::call_random(const std::string& name, const std::string& path,
                                              const Given& arguments) {
    const bool is_numpy = path.starts_with("numpy") || path.starts_with("np.");
    if (!is_numpy && path.starts_with("random.")) {
        return Value{};  // Python's own
    }
    if (name == "Generator" || name == "RandomState" || name == "default_rng") {
        Value made = make_object(name);
        constexpr double unseeded = 67280421310721.0;  // the seed of a new torch.Generator()
        made.object->stream = std::make_shared<Stream>();
        Stream& stream = *made.object->stream;
        seed(stream, name == "Generator" ? unseeded : arguments.number("seed", 0, -1.0));
        if (name == "default_rng" && stream.generator) {  // which is another algorithm
            stream.pcg64.emplace(stream.generator->seed());
            stream.generator.reset();
        }
        return made;
    }
    const bool seeds_all = name == "seed_everything";
    if (seeds_all || name == "manual_seed" || (name == "seed" && is_numpy)) {
        for (Stream* const stream : {&numpy, &torch}) {
            const bool is_meant = seeds_all || is_numpy == (stream == &numpy);
            if (is_meant && path.find("cuda") == std::string::npos) {
                seed(*stream, arguments.number("seed", 0, -1.0));
            }
        }
        return Value::none();
    }
    const Value* const own = arguments.find("generator", by_keyword);
    const bool has_own = own != nullptr && own->is(Kind::object) && own->object->stream != nullptr;
    return draw_from(has_own ? *own->object->stream : is_numpy ? numpy : torch, name, is_numpy, arguments);
}

void Interpreter::seed(Stream& stream, double number) const {
    stream = {};
    constexpr double most = 0x1p63;
    if (number >= 0.0 && number < most && statement != nullptr) {
        stream = {.generator = Generator(static_cast<std::uint64_t>(number)), .seeded = place()};
    }
}

std::optional<Value> Interpreter::draw_from(Stream& stream, const std::string& name, bool is_numpy,
                                            const Given& arguments) {
    try {
        std::optional<Draw> draw = draw_of(name, is_numpy, arguments);
        if (draw && name.ends_with('_') && arguments.begins_with(Kind::tensor)) {
            const Value target = arguments[0];
            const std::string& of = node_of(target).operation;
            draw->operation = of == "Linear" ? of : draw->operation;  // its shape is (d_out, d_in)
            replace(target, drawn(*draw, stream));
            return target;
        }
        if (draw) {
            return drawn(*draw, stream);
        }
    } catch (const Error&) {
        stream.forget();
        return Value{};
    }
    if (draws_unknown(name)) {
        stream.forget();
    }
    return std::nullopt;
}

Value Interpreter::drawn(const Draw& draw, Stream& stream) {
    const Shape& shape = draw.shape;
    constexpr std::size_t most_drawn = 2'000'000;
    constexpr std::size_t numbers_of_work = 64;  // in memory, if they are not drawn
    if (!has_memory(shape.count()) || !spend(shape.count() / numbers_of_work)) {
        stream.forget();
        return {};
    }
    const bool is_known = stream.is_known() && shape.count() < most_drawn;
    const std::optional<Generator> before = stream.generator;
    Tensor value(shape);
    if (is_known) {
        value = draw.numbers(stream);
        spend(value.count());
    } else {
        stream.forget();
    }
    const auto printed = options.drawn.find(flow.draws.size());
    const bool is_printed =
        !is_known && printed != options.drawn.end() && printed->second.value.shape() == shape;
    const std::size_t node = record(draw.operation, {}, is_printed ? printed->second.value : std::move(value),
                                    is_known || is_printed);
    flow.nodes[node].slack = is_printed ? printed->second.slack : 0.0;
    flow.draws.push_back(
        {.node = node,
         .seed = before ? std::optional(before->seed()) : std::nullopt,
         .earlier = before ? before->drawn() : 0,
         .seeded = stream.seeded,
         .is_again = is_again_ && !is_silent_ && !(stream.seeded && stream.seeded->cell == place_at(0).cell),
         .is_of_module = state_.self != nullptr});
    return tensor(node);
}

Value Interpreter::drop(const Value& x, double p) {
    if (p == 0.0) {
        return x;
    }
    const Shape shape = tensor_of(x).shape();
    const auto numbers = [&](Stream& of) { return keep_mask(*of.generator, shape, p, options.rng); };
    const Value keep = drawn({"dropout-mask", shape, numbers}, torch);
    return computed("dropout", {x, keep}, [&] { return dropout(tensor_of(x), given({keep}).input(), p); });
}

}  // namespace attn::flow
