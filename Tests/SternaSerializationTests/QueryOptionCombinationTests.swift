import HTTPTypes
import SternaCore
import SternaPlatform
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Query: options together")
struct QueryOptionCombinationTests {
    private static let parameters: Parameters = [
        "userName": "A B", "isActive": true,
        "homeAddress": ["zipCode": Parameters.null, "streetLines": ["1/2 Way", "x"]] as Parameters,
        "seenAt": Date(timeIntervalSince1970: -1.5), "rawData": Data([0xFB, 0xFF]),
        "tagSet": ["b", "a"] as Set<String>,
        "itemList": [["skuCode": 1, "sizes": [2, 3]] as Parameters, ["skuCode": 4]] as ParameterValue,
    ]

    static let cases: [(QueryEncoder, String)] = [
        (
            QueryEncoder(),
            "homeAddress%5BstreetLines%5D%5B%5D=1/2%20Way&homeAddress%5BstreetLines%5D%5B%5D=x&homeAddress%5BzipCode%5D"
                + "&isActive=1&itemList%5B%5D%5Bsizes%5D%5B%5D=2&itemList%5B%5D%5Bsizes%5D%5B%5D=3"
                + "&itemList%5B%5D%5BskuCode%5D=1&itemList%5B%5D%5BskuCode%5D=4&rawData=%2B/8%3D"
                + "&seenAt=1969-12-31T23%3A59%3A58.500Z&tagSet=a&tagSet=b&userName=A%20B"
        ),
        (
            QueryEncoder(
                arrays: .indices, booleans: .literal, dates: .seconds, keys: .snakeCase, nesting: .dots,
                nulls: .emptyValue, spaces: .plus, allowed: .unreserved, sortsKeys: false),
            "user_name=A+B&is_active=true&home_address.zip_code=&home_address.street_lines%5B0%5D=1%2F2+Way"
                + "&home_address.street_lines%5B1%5D=x&seen_at=-1.5&raw_data=%2B%2F8%3D&tag_set=a&tag_set=b"
                + "&item_list%5B0%5D.sku_code=1&item_list%5B0%5D.sizes%5B0%5D=2&item_list%5B0%5D.sizes%5B1%5D=3"
                + "&item_list%5B1%5D.sku_code=4"
        ),
        (
            QueryEncoder(
                arrays: .none, dates: .milliseconds, keys: .kebabCase, nulls: .omitted, allowed: .query.adding("[]")),
            "home-address[street-lines]=1/2%20Way&home-address[street-lines]=x&is-active=1&item-list[sizes]=2"
                + "&item-list[sizes]=3&item-list[sku-code]=1&item-list[sku-code]=4&raw-data=%2B/8%3D&seen-at=-1500"
                + "&tag-set=a&tag-set=b&user-name=A%20B"
        ),
        (
            QueryEncoder(
                arrays: .custom { "\($0)\($1)" }, data: .custom { "\($0.count) bytes" }, dates: .custom { _ in "now" },
                keys: .custom { String($0.prefix(1)) }, nesting: .custom { "\($0)~\($1)" }, nulls: .literal,
                spaces: .plus, sortsKeys: false),
            "u=A+B&i=1&h~z=null&h~s0=1/2+Way&h~s1=x&s=now&r=2+bytes&t=a&t=b&i0~s=1&i0~s0=2&i0~s1=3&i1~s=4"
        ),
        (
            QueryEncoder(
                booleans: .literal, dates: .description, keys: .capitalized, nesting: .dots, nulls: .literal,
                allowed: .whatwgForm),
            "HomeAddress.StreetLines%5B%5D=1%2F2%20Way&HomeAddress.StreetLines%5B%5D=x&HomeAddress.ZipCode=null"
                + "&IsActive=true&ItemList%5B%5D.Sizes%5B%5D=2&ItemList%5B%5D.Sizes%5B%5D=3&ItemList%5B%5D.SkuCode=1"
                + "&ItemList%5B%5D.SkuCode=4&RawData=%2B%2F8%3D&SeenAt=1969-12-31%2023%3A59%3A58%20%2B0000"
                + "&TagSet=a&TagSet=b&UserName=A%20B"
        ),
    ]

    @Test("Each combination has its text, in queries and in forms", arguments: cases.indices)
    func combination(index: Int) throws {
        let (encoder, expected) = Self.cases[index]
        try expectEqual(encoder.encode(Self.parameters), expected)
        try expectEqual(String(decoding: encoder.encodedBytes(Self.parameters), as: UTF8.self), expected)
        let serializer = HTTPRequestSerializer(encoder: encoder)
        #expect(try Carried(serializer, .get, "https://h/?p=0", Self.parameters).target == "/?p=0&\(expected)")
        #expect(try Carried(serializer, .put, "https://h/", Self.parameters).body == expected)
        let json = JSONRequestSerializer(encoder: encoder)
        #expect(try Carried(json, .delete, "https://h/", Self.parameters).target == "/?\(expected)")
    }

    @Test("Fields are the same text before escaping")
    func fields() throws {
        for (encoder, expected) in Self.cases {
            let fields = try encoder.fields(Self.parameters)
            expectEqual(fields.count, expected.split(separator: "&").count)
        }
    }
}
