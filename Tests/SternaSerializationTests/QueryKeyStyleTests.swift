import SternaCore
import SternaPlatform
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Query: keys")
struct QueryKeyStyleTests {
    /// A key, then in snake case, kebab case and capitalized.
    static let cases: [(String, String, String, String)] = [
        ("", "", "", ""),
        ("a", "a", "a", "A"),
        ("A", "a", "a", "A"),
        ("aA", "a_a", "a-a", "AA"),
        ("single", "single", "single", "Single"),
        ("oneTwoThree", "one_two_three", "one-two-three", "OneTwoThree"),
        ("OneTwoThree", "one_two_three", "one-two-three", "OneTwoThree"),
        ("myURL", "my_url", "my-url", "MyURL"),
        ("singleCharacterAtEndX", "single_character_at_end_x", "single-character-at-end-x", "SingleCharacterAtEndX"),
        ("thisIsAnXMLProperty", "this_is_an_xml_property", "this-is-an-xml-property", "ThisIsAnXMLProperty"),
        ("version4Thing", "version4_thing", "version4-thing", "Version4Thing"),
        ("partCAPS", "part_caps", "part-caps", "PartCAPS"),
        ("partCAPSLowerAGAIN", "part_caps_lower_again", "part-caps-lower-again", "PartCAPSLowerAGAIN"),
        ("manyWordsInThisThing", "many_words_in_this_thing", "many-words-in-this-thing", "ManyWordsInThisThing"),
        ("asdfĆqer", "asdf_ćqer", "asdf-ćqer", "AsdfĆqer"),
        ("already_snake_case", "already_snake_case", "already_snake_case", "Already_snake_case"),
        ("already-kebab", "already-kebab", "already-kebab", "Already-kebab"),
        ("dataPoint22", "data_point22", "data-point22", "DataPoint22"),
        ("dataPoint22Word", "data_point22_word", "data-point22-word", "DataPoint22Word"),
        ("_oneTwoThree", "_one_two_three", "_one-two-three", "_oneTwoThree"),
        ("oneTwoThree_", "one_two_three_", "one-two-three_", "OneTwoThree_"),
        ("__oneTwoThree__", "__one_two_three__", "__one-two-three__", "__oneTwoThree__"),
        ("_test", "_test", "_test", "_test"),
        ("test__", "test__", "test__", "Test__"),
        ("überGröße", "über_größe", "über-größe", "ÜberGröße"),
        ("имяФайла", "имя_файла", "имя-файла", "ИмяФайла"),
        ("日本語", "日本語", "日本語", "日本語"),
        ("🐧🐟", "🐧🐟", "🐧🐟", "🐧🐟"),
        ("1abc", "1abc", "1abc", "1abc"),
        ("a1b2C3", "a1b2_c3", "a1b2-c3", "A1b2C3"),
    ]

    @Test("Each style", arguments: cases.indices)
    func styles(index: Int) throws {
        let (key, snake, kebab, capitalized) = Self.cases[index]
        func name(_ style: QueryEncoder.KeyStyle) throws -> String {
            try QueryEncoder(keys: style).fields([key: 1])[0].name
        }
        try expectEqual(name(.asIs), key)
        try expectEqual(name(.snakeCase), snake)
        try expectEqual(name(.kebabCase), kebab)
        try expectEqual(name(.capitalized), capitalized)
        try expectEqual(name(.custom { "<\($0)>" }), "<\(key)>")
    }

    @Test("Every level is changed, values are not, and neither are indices and brackets")
    func levels() throws {
        let parameters: Parameters = ["oneTwo": [["threeFour": ["fiveSix": "sevenEight"]]]]
        let fields = try QueryEncoder(arrays: .indices, keys: .snakeCase).fields(parameters)
        expectEqual(fields, [.init(name: "one_two[0][three_four][five_six]", value: "sevenEight")])
        try expectEqual(
            QueryEncoder(keys: .capitalized).encode(["oneTwo": ["threeFour": ["fiveSix"]]]),
            "OneTwo%5BThreeFour%5D%5B%5D=fiveSix")
    }

    @Test("Keys are sorted before they are changed")
    func sorting() throws {
        let encoder = QueryEncoder(keys: .custom { String($0.reversed()) })
        try expectEqual(encoder.encode(["bx": 1, "az": 2]), "za=2&xb=1")
        try expectEqual(QueryEncoder(keys: .snakeCase).encode(["aB": 1, "aa": 2]), "a_b=1&aa=2")
    }

    @Test("Keys that become the same are all sent")
    func clash() throws {
        try expectEqual(QueryEncoder(keys: .custom { _ in "A" }).encode(["one": 1, "two": 2]), "A=1&A=2")
    }

    @Test("What a closure makes is escaped")
    func escaped() throws {
        try expectEqual(
            QueryEncoder(keys: .custom { "\($0)&=#" }).encode(["a": ["b": 1]]), "a%26%3D%23%5Bb%26%3D%23%5D=1")
    }

    @Test("An error's key path has the keys as they were given")
    func keyPath() {
        let error = #expect(throws: ParameterError.self) {
            try QueryEncoder(data: .custom { _ in throw CancellationError() }, keys: .snakeCase)
                .encode(["oneTwo": ["threeFour": Data()]])
        }
        expectEqual(error?.keyPath, "oneTwo.threeFour")
    }
}
