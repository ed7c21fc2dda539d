import MutationKit
import SternaCore
import Testing

@testable import SternaTestSupport

@Suite("Parameters: deep nesting")
struct DeepParametersTests {
    private static func nested(_ levels: Int, _ bottom: ParameterValue) -> Parameters {
        var value = bottom
        for level in 1..<levels {
            switch level % 3 {
            case 0: value = .array([value])
            case 1: value = .dictionary(["k": value])
            default: value = .set([value])
            }
        }
        return ["top": value]
    }

    // Made and released on a thread with a stack for it: a nested array is released by recursion.
    @Test("Values of any depth are compared, hashed, ordered and described", arguments: [100, 5_000, 50_000])
    func values(levels: Int) {
        SmallStack.run(stack: 256 << 20) {
            let one = Self.nested(levels, 1)
            let same = Self.nested(levels, 1)
            let other = Self.nested(levels, 2)
            SmallStack.run {
                expectEqual(one, same)
                #expect(one != other)
                expectEqual(one.hashValue, same.hashValue)
                expectEqual(one.description, same.description)
                #expect(one.description != other.description)
                #expect(ParameterValue.dictionary(one).precedes(.dictionary(other)))
                #expect(!ParameterValue.dictionary(other).precedes(.dictionary(one)))
                #expect(!ParameterValue.dictionary(one).precedes(.dictionary(same)))
                expectEqual(Set([one, same, other]).count, 2)
                expectEqual("\(["a": one])".isEmpty, false)
            }
        }
    }

    @Test("Containers of different sizes have a fixed order")
    func order() {
        let ordered: [ParameterValue] = [
            [], [1], [1, 1], [1, 2], [2], .set([]), .set([1]), [:], ["a": 1], ["a": 1, "b": 1], ["a": 2], ["b": 0],
        ]
        for (index, value) in ordered.enumerated() {
            #expect(!value.precedes(value))
            for later in ordered[(index + 1)...] {
                #expect(value.precedes(later))
                #expect(!later.precedes(value))
            }
        }
    }

    @Test("NaN equals itself, whatever its payload")
    func notANumber() {
        let one: Parameters = ["x": Double.nan]
        let two: Parameters = ["x": Double(nan: 5, signaling: false)]
        expectEqual(one, two)
        expectEqual(one.hashValue, two.hashValue)
        #expect(one != ["x": 1.0])
    }

    @Test("The description is a literal, without secrets")
    func description() {
        let parameters: Parameters = [
            "name": "Ada \"A\"", "tags": [1, 2], "none": Parameters.null, "password": "x",
            "inner": ["flag": true, "list": [] as ParameterValue, "map": [:] as Parameters] as Parameters,
        ]
        expectEqual(
            parameters.description,
            #"["name": "Ada \"A\"", "tags": [1, 2], "none": null, "password": ***, "inner": ["flag": true, "list": [], "map": [:]]]"#
        )
    }
}
