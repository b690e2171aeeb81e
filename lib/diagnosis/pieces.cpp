// People paste a tensor unchanged, transposed, with leading axes merged, or flattened. Each of these is a
// view of its memory. In a view, leading axes may be indexed and the others sliced.
#include "diagnosis/pieces.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <span>

#include "diagnosis/costs.hpp"
#include "mistakes/bits.hpp"

namespace attn {

namespace {

using Sizes = std::array<std::size_t, Shape::max_rank>;

// One view of a tensor.
struct View {
    PieceKind kind = PieceKind::whole;
    std::size_t rank = 0;
    Sizes sizes{};
    Sizes strides{};
};

View plain_view(const Shape& shape) {
    View view{.rank = shape.rank()};
    std::size_t stride = 1;
    for (std::size_t axis = shape.rank(); axis-- > 0;) {
        view.sizes[axis] = shape[axis];
        view.strides[axis] = stride;
        stride *= shape[axis];
    }
    return view;
}

// Returns the views of a tensor of this rank.
std::vector<View> views(const Shape& shape, std::size_t rank) {
    const View plain = plain_view(shape);
    std::vector<View> all{plain};
    if (shape.rank() < 2) {
        return all;
    }
    const std::size_t last = shape.rank() - 1;
    if (rank >= 1) {
        View turned = plain;
        turned.kind = PieceKind::transposed;
        std::swap(turned.sizes[last], turned.sizes[last - 1]);
        std::swap(turned.strides[last], turned.strides[last - 1]);
        all.push_back(turned);
    }
    if (shape.rank() >= 3 && rank == 2) {
        all.push_back({PieceKind::reshaped, 2, {shape.count() / shape[last], shape[last]}, {shape[last], 1}});
    }
    if (rank == 1) {
        all.push_back({PieceKind::flattened, 1, {shape.count()}, {1}});
    }
    return all;
}

double bits_of(PieceKind kind, bool cut) {
    using enum PieceKind;
    return kind == whole                      ? cost::whole
           : kind == row || kind == entry     ? cost::one_row
           : kind == rows                     ? cost::some_rows
           : kind == number || kind == column ? cost::one_number
           : kind != block && cut             ? cost::turned_part
                                              : cost::turned;
}

// A place in a view of a tensor where the printed numbers may be.
struct ViewPlace {
    View view;
    std::size_t lead = 0;     // the number of axes that are indexed, not sliced
    std::size_t missing = 0;  // the number of printed axes of size 1 that the tensor does not have
    double places = 1.0;      // how many places this view has
    bool exchanged = false;   // rows and columns of a square matrix are exchanged
    Sizes start{};            // the first index on each axis of the view
    std::size_t offset = 0;   // the offset of `start`
    // The stride of each printed axis, and the additional distance to the numbers after its `...`.
    Sizes strides{};
    Sizes beyond{};
};

std::size_t offset_of(std::size_t n, const ViewPlace& place, const PrintedTensor& printed) {
    std::size_t offset = place.offset;
    for (std::size_t axis = printed.shown.rank(); axis-- > 0;) {
        const std::size_t at = n % printed.shown[axis];
        n /= printed.shown[axis];
        const bool behind_gap = printed.gaps[axis] && at >= *printed.gaps[axis];
        offset += (behind_gap ? at + place.beyond[axis] : at) * place.strides[axis];
    }
    return offset;
}

// Visits the offset of each printed number in order, until a visit returns false.
template <typename Visit>
bool visit_numbers(const PrintedTensor& printed, const ViewPlace& place, const Visit& visit) {
    const std::size_t rank = printed.shown.rank();
    const std::size_t last = rank == 0 ? 0 : rank - 1;
    const std::size_t width = rank == 0 ? 1 : printed.shown[last];
    const std::size_t before_gap = rank == 0 ? 1 : printed.gaps[last].value_or(width);
    for (std::size_t n = 0; n < printed.numbers.size(); n += width) {
        const std::size_t begin = offset_of(n, place, printed);
        for (std::size_t i = 0; i < width; ++i) {
            // If the row begins with the gap, its first number is behind it already.
            const bool behind_gap = before_gap > 0 && i >= before_gap;
            const std::size_t at = behind_gap ? i + place.beyond[last] : i;
            if (!visit(n + i, begin + at * place.strides[last])) {
                return false;
            }
        }
    }
    return true;
}

// Visits every place with the printed shape. After an accepted place, continues with the next view.
template <typename Visit>
void visit_places(const PrintedTensor& printed, const Shape& shape, const Visit& visit) {
    const Shape& shown = printed.shown;
    std::size_t missing = 0;
    while (shown.rank() - missing > shape.rank() && shown[missing] == 1) {
        ++missing;
    }
    const std::size_t rank = shown.rank() - missing;
    if (rank > shape.rank() || shape.count() < printed.numbers.size()) {
        return;
    }
    bool fits_as_it_is = false;
    for (const View& view : views(shape, rank)) {
        ViewPlace place{.view = view, .lead = view.rank - rank, .missing = missing};
        Sizes starts = view.sizes;  // how many starts are possible on each axis
        for (std::size_t axis = missing; axis < shown.rank(); ++axis) {
            const std::size_t of_view = axis - missing + place.lead;
            const std::size_t size = view.sizes[of_view];
            const bool gap = printed.gaps[axis].has_value();
            const bool fits = gap ? size > shown[axis] : size >= shown[axis];
            starts[of_view] = !fits ? 0 : gap ? 1 : size - shown[axis] + 1;
            place.strides[axis] = view.strides[of_view];
            place.beyond[axis] = gap && fits ? size - shown[axis] : 0;
        }
        for (std::size_t axis = 0; axis < view.rank; ++axis) {
            place.places *= static_cast<double>(starts[axis]);
        }
        if (fits_as_it_is && rank >= 2 && view.kind == PieceKind::transposed) {
            // If the printed shape fits without transposing, too, a transposed piece is tried only for a
            // whole square matrix.
            const std::size_t last = view.rank - 1;
            place.exchanged =
                starts[last] == 1 && starts[last - 1] == 1 && view.sizes[last] == view.sizes[last - 1];
            if (!place.exchanged) {
                continue;
            }
        }
        fits_as_it_is = fits_as_it_is || place.places > 0.0;
        for (bool more = place.places > 0.0; more;) {
            if (visit(place)) {
                break;
            }
            more = false;
            for (std::size_t axis = view.rank; axis-- > 0 && !more;) {
                more = ++place.start[axis] < starts[axis];
                place.offset += view.strides[axis];
                if (!more) {
                    place.offset -= place.start[axis] * view.strides[axis];
                    place.start[axis] = 0;
                }
            }
        }
    }
}

// Returns true if the place contains only a part of this axis of its view.
bool is_sliced(const PrintedTensor& printed, const ViewPlace& place, std::size_t axis) {
    const std::size_t printed_axis = axis - place.lead + place.missing;
    return printed.shown[printed_axis] + place.beyond[printed_axis] != place.view.sizes[axis];
}

// Returns true if the place contains only parts of rows. All places of a view do, or none.
bool is_cut(const PrintedTensor& printed, const ViewPlace& place) {
    const std::size_t rank = place.view.rank;
    for (std::size_t axis = place.lead; axis < rank; ++axis) {
        if ((axis > place.lead || rank - place.lead == 1) && is_sliced(printed, place, axis)) {
            return true;
        }
    }
    return false;
}

Piece piece_at(const PrintedTensor& printed, const ViewPlace& place, const Shape& shape) {
    using enum PieceKind;
    const View& view = place.view;
    const std::size_t rank = view.rank - place.lead;
    // Builds the index for each axis of the view.
    std::vector<std::string> taken;
    bool cut = false;        // a later axis, which is not indexed, is sliced
    bool first_cut = false;  // the first axis that is not indexed is sliced
    for (std::size_t axis = 0; axis < view.rank; ++axis) {
        const std::size_t start = place.start[axis];
        if (axis < place.lead) {
            taken.push_back(std::to_string(start));
            continue;
        }
        const std::size_t printed_axis = axis - place.lead + place.missing;
        const std::size_t size = printed.shown[printed_axis] + place.beyond[printed_axis];
        const bool all = !is_sliced(printed, place, axis);
        taken.push_back(all ? ":" : fmt::format("{}:{}", start, start + size));
        (axis == place.lead ? first_cut : cut) |= !all;
    }
    Piece piece{.kind = view.kind, .cut = is_cut(printed, place), .exchanged = place.exchanged};
    std::string behind;
    if (view.kind == transposed) {
        std::swap(taken[view.rank - 1], taken[view.rank - 2]);
        if (place.exchanged) {
            piece.kind = place.lead == 0 ? whole : entry;
        } else if (rank == 1) {
            piece.kind = first_cut ? block : column;
        } else {
            behind = rank == 2 ? ".T" : ".transpose(-2, -1)";
        }
    } else if (view.kind == whole) {
        piece.kind = rank == 0                         ? (view.rank == 0 ? whole : number)
                     : cut || (first_cut && rank == 1) ? block
                     : first_cut                       ? rows
                     : place.lead == 0                 ? whole
                     : rank == 1                       ? row
                                                       : entry;
    }
    while (!taken.empty() && taken.back() == ":") {
        taken.pop_back();
    }
    piece.index = place.missing > 0 ? "[None]" : "";
    piece.index += view.kind == reshaped    ? fmt::format(".reshape(-1, {})", shape[shape.rank() - 1])
                   : view.kind == flattened ? ".flatten()"
                                            : "";
    piece.index += taken.empty() ? "" : fmt::format("[{}]", fmt::join(taken, ", "));
    piece.index += behind;
    piece.bits = bits_of(piece.kind, cut || first_cut) + bits_for(place.places);
    const bool indexed = piece.kind == row || piece.kind == column;
    const std::size_t axis_of_first = indexed ? place.lead - 1 : place.lead;
    // An index on every axis leaves a single number.
    piece.first = axis_of_first < view.rank ? place.start[axis_of_first] : 0;
    piece.count = piece.kind == rows ? printed.shown[place.missing] : 1;
    visit_numbers(printed, place, [&](std::size_t, std::size_t offset) {
        piece.offsets.push_back(offset);
        return true;
    });
    return piece;
}

}  // namespace

Pattern::Pattern(const PrintedTensor& printed, double slack) : printed_(&printed) {
    tolerances_.reserve(printed.numbers.size());
    double most = -1.0;
    for (std::size_t n = 0; n < printed.numbers.size(); ++n) {
        const PrintedNumber& number = printed.numbers[n];
        // A 0 stays exactly 0 in every type, so it gets no slack.
        tolerances_.push_back(tolerance(number) + (number.value == 0.0 ? 0.0 : slack));
        const bool everywhere = !std::isfinite(number.value) || number.value == 0.0 || number.value == 1.0;
        const double rarity = everywhere ? 0.0 : std::abs(number.value) / tolerances_.back();
        if (rarity > most) {
            most = rarity;
            rarest_ = n;
        }
    }
}

bool Pattern::agrees(std::size_t n, float x) const {
    const PrintedNumber& number = printed_->numbers[n];
    const double difference = std::abs(static_cast<double>(x) - number.value);
    return std::isfinite(difference) ? difference <= tolerances_[n]
                                     : attn::agrees(number, static_cast<double>(x));
}

bool Pattern::fits(const Shape& shape) const {
    bool any = false;
    visit_places(*printed_, shape, [&](const ViewPlace& place) {
        any = any || !is_cut(*printed_, place);
        return true;
    });
    return any;
}

bool Pattern::may_be_in(const Shape& shape) const {
    bool any = false;
    visit_places(*printed_, shape, [&](const ViewPlace&) { return any = true; });
    return any;
}

std::optional<Piece> Pattern::find_in(const Tensor& x) const {
    const std::span<const float> values = x.values();
    std::optional<Piece> best;
    const auto agrees_at = [&](std::size_t n, std::size_t offset) { return agrees(n, values[offset]); };
    // In all places of a view, the rarest number is as far behind the first one.
    std::optional<PieceKind> view;
    std::size_t behind = 0;
    visit_places(*printed_, x.shape(), [&](const ViewPlace& place) {
        if (view != place.view.kind) {
            view = place.view.kind;
            behind = offset_of(rarest_, place, *printed_) - place.offset;
        }
        if (!agrees_at(rarest_, place.offset + behind) || !visit_numbers(*printed_, place, agrees_at)) {
            return false;
        }
        Piece piece = piece_at(*printed_, place, x.shape());
        if (!best || piece.bits < best->bits) {
            best = std::move(piece);
        }
        return true;
    });
    return best;
}

constexpr double infinite = std::numeric_limits<double>::infinity();

// Returns at most `count` pieces whose total difference is smallest and less than `below`, the nearest first.
template <typename Difference>
std::vector<Piece> Pattern::least_in(const Tensor& x, std::size_t count, const Difference& difference,
                                     double below) const {
    constexpr double most = 1e6;  // at most this many numbers are compared in one view
    const std::span<const float> values = x.values();
    const double numbers = static_cast<double>(printed_->numbers.size());
    std::multimap<double, Piece> least;
    visit_places(*printed_, x.shape(), [&](const ViewPlace& place) {
        double sum = 0.0;
        const double bound = least.size() < count ? below : least.rbegin()->first;
        visit_numbers(*printed_, place, [&](std::size_t n, std::size_t at) {
            sum += difference(n, values[at]);
            return sum < bound;
        });
        if (sum < bound) {
            least.emplace(sum, piece_at(*printed_, place, x.shape()));
            if (least.size() > count) {
                least.erase(std::prev(least.end()));
            }
        }
        return place.places * numbers > most;
    });
    std::vector<Piece> pieces;
    for (auto& [sum, piece] : least) {
        pieces.push_back(std::move(piece));
    }
    return pieces;
}

// Returns the nearest piece with fewer than `disagreeing` wrong numbers.
std::optional<Piece> Pattern::nearest_below(const Tensor& x, double disagreeing) const {
    const auto disagrees = [this](std::size_t n, float y) { return agrees(n, y) ? 0.0 : 1.0; };
    // If there are many places, one of them can be near by chance.
    const bool is_whole = printed_->fits(x.shape());
    const std::size_t agreeing = std::max<std::size_t>(printed_->numbers.size() / 2, 2);
    const double most = static_cast<double>(printed_->numbers.size()) - static_cast<double>(agreeing);
    std::vector<Piece> least =
        least_in(x, 1, disagrees, is_whole ? disagreeing : std::min(most, disagreeing));
    return least.empty() ? std::nullopt : std::optional(std::move(least.front()));
}

std::optional<Piece> Pattern::nearest_in(const Tensor& x) const {
    return nearest_below(x, infinite);
}

std::optional<Piece> Pattern::nearly_in(const Tensor& x) const {
    return nearest_below(x, 2.0);
}

double Pattern::rounding() const {
    double sum = 0.0;
    for (const double tolerance : tolerances_) {
        // The rounding error is uniform within the tolerance, so its variance is tolerance² / 3. inf and NaN
        // are not rounded.
        sum += std::isfinite(tolerance) ? tolerance * tolerance / 3.0 : 0.0;
    }
    return sum;
}

std::vector<Piece> Pattern::closest_in(const Tensor& x) const {
    constexpr std::size_t some = 8;
    return least_in(
        x, some,
        [this](std::size_t n, float y) {
            const double difference = static_cast<double>(y) - printed_->numbers[n].value;
            return std::isfinite(difference) ? difference * difference : agrees(n, y) ? 0.0 : 1.0;
        },
        infinite);
}

}  // namespace attn
