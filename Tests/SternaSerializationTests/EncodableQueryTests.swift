import SternaCore
import SternaPlatform
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Encodable as a query")
struct EncodableQueryTests {
    enum Status: String, Encodable { case active, gone = "no longer" }
    enum Level: Int, Encodable { case low = 1, high = 10 }
    enum Shape: Encodable { case circle(radius: Double), point, pair(Int, Int) }

    enum Name: String, Encodable, CodingKeyRepresentable { case first = "1st", second }

    struct Address: Encodable, Hashable {
        var street: String
        var zip: String?
    }

    struct User: Encodable {
        var name = "Ada L."
        var age: UInt8 = 36
        var ratio = 0.5
        var share: Float = 0.1
        var isActive = true
        var status = Status.gone
        var level = Level.high
        var home = Address(street: "1 Way", zip: "7")
        var work: Address? = Address(street: "x", zip: nil)
        var none: Address?
        var nick: String?
        var statuses = [Status.active, .gone]
        var homes = [Address(street: "a", zip: nil), Address(street: "b", zip: "c")]
        var byName = ["k": [1, 2], "j": []]
        var tags: Set<String> = ["z", "y"]
    }

    static let userFields = [
        "age=36", "byName[k][]=1", "byName[k][]=2", "home[street]=1 Way", "home[zip]=7", "homes[][street]=a",
        "homes[][street]=b", "homes[][zip]=c", "isActive=1", "level=10", "name=Ada L.", "ratio=0.5", "share=0.1",
        "status=no longer", "statuses[]=active", "statuses[]=no longer", "tags=y", "tags=z", "work[street]=x",
    ]

    private func fields(_ value: some Encodable, _ encoder: QueryEncoder = QueryEncoder()) throws -> [String] {
        try encoder.fields(Parameters(encoding: value)).map(\.text)
    }

    @Test("A structure of everything usual")
    func structure() throws {
        try expectEqual(fields(User()), Self.userFields)
    }

    @Test("The members in their order where keys are not sorted")
    func order() throws {
        struct Reversed: Encodable {
            var z = 1
            var a = [3, 2]
            var m = Address(street: "s", zip: "t")
        }
        try expectEqual(
            fields(Reversed(), QueryEncoder(sortsKeys: false)), ["z=1", "a[]=3", "a[]=2", "m[street]=s", "m[zip]=t"])
    }

    @Test("The same text as the equivalent literal, whatever the options")
    func literal() throws {
        let literal: Parameters = [
            "name": "Ada L.", "age": 36, "ratio": 0.5, "share": Float(0.1), "isActive": true, "status": "no longer",
            "level": 10, "home": ["street": "1 Way", "zip": "7"], "work": ["street": "x"],
            "statuses": ["active", "no longer"],
            "homes": [["street": "a"], ["street": "b", "zip": "c"]] as ParameterValue,
            "byName": ["j": [], "k": [1, 2]] as [String: [Int]], "tags": ["z", "y"] as Set<String>,
        ]
        let encoders = [
            QueryEncoder(), .afnetworking2, .whatwgForm,
            QueryEncoder(
                arrays: .indices, booleans: .literal, keys: .snakeCase, nesting: .dots, spaces: .plus, sortsKeys: false),
        ]
        for encoder in encoders {
            try expectEqual(encoder.encode(User()), encoder.encode(literal))
        }
        try expectEqual(Parameters(encoding: User()), literal)
    }

    struct Foundations: Encodable {
        var date = Date(timeIntervalSince1970: 1_577_934_245)
        var data = Data([0xFB, 0xFF])
        var url = URL(string: "https://h/a?b=c")
        var id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255))
        var price = Decimal(string: "12345678901234567890.125")
        var dates = [Date(timeIntervalSince1970: 0)]
        var prices = [Decimal(-1), Decimal(string: "0.1")]
        var later: Date? = Date(timeIntervalSince1970: -1)
        var never: Date?
        var byDay = ["x": Date(timeIntervalSince1970: 0)]
        var money = ["x": Decimal(2)]
    }

    static let foundations: [(QueryEncoder, [String])] = [
        (
            QueryEncoder(),
            [
                "byDay[x]=1970-01-01T00:00:00Z", "data=+/8=", "date=2020-01-02T03:04:05Z",
                "dates[]=1970-01-01T00:00:00Z", "id=01020304-0506-0708-090A-0B0C0D0E0FFF",
                "later=1969-12-31T23:59:59Z", "money[x]=2", "price=12345678901234567890.125", "prices[]=-1",
                "prices[]=0.1", "url=https://h/a?b=c",
            ]
        ),
        (
            QueryEncoder(data: .custom { "\($0.count)" }, dates: .milliseconds),
            [
                "byDay[x]=0", "data=2", "date=1577934245000", "dates[]=0",
                "id=01020304-0506-0708-090A-0B0C0D0E0FFF", "later=-1000", "money[x]=2",
                "price=12345678901234567890.125", "prices[]=-1", "prices[]=0.1", "url=https://h/a?b=c",
            ]
        ),
    ]

    @Test("Foundation's types, by the encoder's styles", arguments: foundations.indices)
    func foundationTypes(index: Int) throws {
        let (encoder, expected) = Self.foundations[index]
        try expectEqual(fields(Foundations(), encoder), expected)
    }

    @Test("Optionals: left out when synthesized, null in arrays, dictionaries and where encoded as nil")
    func optionals() throws {
        struct Explicit: Encodable {
            var list: [Int?] = [1, nil]
            var names: [String: String?] = ["a": nil, "b": "c"]
            var prices: [Decimal?] = [nil, 1]
            var nested: Int?? = .some(.none)
        }
        try expectEqual(
            fields(Explicit()),
            [
                "list[]=1", "list[]", "names[a]", "names[b]=c", "nested", "prices[]", "prices[]=1",
            ])
        struct Null: Encodable {
            enum Key: CodingKey { case a, b }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encodeNil(forKey: .a)
                try container.encode(Int?.none, forKey: .b)
            }
        }
        try expectEqual(fields(Null()), ["a", "b"])
        try expectEqual(fields(Null(), QueryEncoder(nulls: .omitted)), [])
        try expectEqual(fields(Null(), QueryEncoder(nulls: .literal)), ["a=null", "b=null"])
    }

    @Test("Enumerations with associated values")
    func associated() throws {
        struct Drawing: Encodable {
            var shapes: [Shape] = [.circle(radius: 1.5), .pair(1, 2), .point]
        }
        try expectEqual(
            fields(Drawing(), QueryEncoder(arrays: .indices)),
            ["shapes[0][circle][radius]=1.5", "shapes[1][pair][_0]=1", "shapes[1][pair][_1]=2"])
    }

    @Test("Dictionaries at the top, with keys that are numbers, and of structures")
    func dictionaries() throws {
        try expectEqual(fields(["b": 1, "a": 2]), ["a=2", "b=1"])
        try expectEqual(fields([7: "x"]), ["7=x"])
        try expectEqual(fields(["u": Address(street: "s", zip: nil)]), ["u[street]=s"])
        try expectEqual(fields(["e": Status.active]), ["e=active"])
        try expectEqual(fields([String: Address]()), [])
        try expectEqual(fields([Name.second: 2, .first: 1]), ["1st=1", "second=2"])
    }

    @Test("Integers of every width")
    func integers() throws {
        struct Integers: Encodable {
            var a = Int8.min, b = Int16.min, c = Int32.min, d = Int64.min, e = Int.max
            var f = UInt8.max, g = UInt16.max, h = UInt32.max, i = UInt64.max, j = UInt.max
        }
        try expectEqual(
            fields(Integers()),
            [
                "a=-128", "b=-32768", "c=-2147483648", "d=-9223372036854775808", "e=9223372036854775807", "f=255",
                "g=65535", "h=4294967295", "i=18446744073709551615", "j=18446744073709551615",
            ])
    }
}
