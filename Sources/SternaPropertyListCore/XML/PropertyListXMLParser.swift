import SternaCore
import SternaSerialization

/// Parses the XML form without recursion, so that deep nesting does not overflow the stack.
struct PropertyListXMLParser {
    typealias Fault = PropertyListFault

    var reader: XMLMarkupReader
    private let limits: PropertyList.ParseLimits
    private var remainingValues: Int

    /// An open container.
    private struct Container {
        let name: String
        var elements: [PropertyList] = []
        var dictionary: [String: PropertyList] = [:]
        var key: String?
        var isDictionary: Bool { name == "dict" }
        var value: PropertyList { isDictionary ? .dictionary(dictionary) : .array(elements) }
    }

    init(_ bytes: UnsafeBufferPointer<UInt8>, limits: PropertyList.ParseLimits) {
        // Longer than any element's name, and short enough for a message.
        reader = XMLMarkupReader(bytes, longestName: 16, isStrict: false)
        self.limits = limits
        remainingValues = limits.values
    }

    mutating func parse() throws(PropertyListFault) -> PropertyList {
        try reader.checkStart()
        try reader.checkCharacters()
        try reader.skipDeclaration()
        try reader.skipProlog()
        let root = try reader.tag()
        guard !root.isEnd else { throw Fault(.mismatchedTag(root.name), root.offset) }
        guard root.name == "plist" else { throw Fault(.unexpectedElement(root.name), root.offset) }
        guard !root.isEmpty else { throw Fault(.unexpectedElement("/plist"), root.offset) }
        let value = try value()
        try reader.skipMisc()
        let end = try reader.tag()
        guard end.isEnd else { throw Fault(.unexpectedElement(end.name), end.offset) }
        guard end.name == "plist" else { throw Fault(.mismatchedTag(end.name), end.offset) }
        try reader.skipMisc(toEnd: true)
        guard reader.isAtEnd else { throw Fault(.trailingContent, reader.position) }
        return value
    }

    private mutating func value() throws(PropertyListFault) -> PropertyList {
        var open: [Container] = []
        while true {
            try reader.skipMisc()
            let tag = try reader.tag()
            var value: PropertyList
            if tag.isEnd {
                guard let container = open.popLast(), container.name == tag.name else {
                    throw Fault(.mismatchedTag(tag.name), tag.offset)
                }
                guard container.key == nil else { throw Fault(.unexpectedElement("/dict"), tag.offset) }
                value = container.value
            } else if tag.name == "key" {
                guard let last = open.indices.last, open[last].isDictionary, open[last].key == nil else {
                    throw Fault(.unexpectedElement(tag.name), tag.offset)
                }
                let key = try content(of: tag)
                guard StreamSafe.isSafe(key) else { throw Fault(.tooManyMarks(limit: StreamSafe.limit), tag.offset) }
                open[last].key = key
                continue
            } else {
                if let last = open.last, last.isDictionary, last.key == nil {
                    throw Fault(.missingKey, tag.offset)
                }
                guard remainingValues > 0 else { throw Fault(.tooManyValues(limit: limits.values), tag.offset) }
                remainingValues -= 1
                if tag.name == "dict" || tag.name == "array" {
                    guard open.count < limits.depth else { throw Fault(.tooDeep(limit: limits.depth), tag.offset) }
                    let container = Container(name: tag.name)
                    guard tag.isEmpty else {
                        open.append(container)
                        continue
                    }
                    value = container.value
                } else {
                    value = try scalar(tag)
                }
            }
            guard let last = open.indices.last else { return value }
            if let key = open[last].key {
                open[last].dictionary[key] = value
                open[last].key = nil
            } else {
                open[last].elements.append(value)
            }
        }
    }

    private mutating func scalar(_ tag: XMLMarkupReader.Tag) throws(PropertyListFault) -> PropertyList {
        switch tag.name {
        case "string": return .string(try content(of: tag))
        case "integer":
            guard let value = PropertyListText.integer(try content(of: tag)) else {
                throw Fault(.invalidNumber, tag.offset)
            }
            return value
        case "real":
            guard let value = PropertyListText.real(try content(of: tag)) else {
                throw Fault(.invalidNumber, tag.offset)
            }
            return .real(value)
        case "date":
            guard let date = PropertyListText.date(try content(of: tag)) else { throw Fault(.invalidDate, tag.offset) }
            return .date(date)
        case "data":
            guard let data = PropertyListText.data(try content(of: tag)) else {
                throw Fault(.invalidBase64, tag.offset)
            }
            return .data(data)
        case "true", "false":
            guard PropertyListText.trimmed(try content(of: tag)).isEmpty else {
                throw Fault(.unexpectedElement(tag.name), tag.offset)
            }
            return .boolean(tag.name == "true")
        default: throw Fault(.unexpectedElement(tag.name), tag.offset)
        }
    }

    private mutating func content(of tag: XMLMarkupReader.Tag) throws(PropertyListFault) -> String {
        if tag.isEmpty { return "" }
        let text = try reader.text()
        let end = try reader.tag()
        guard end.isEnd else { throw Fault(.unexpectedElement(end.name), end.offset) }
        guard end.name == tag.name else { throw Fault(.mismatchedTag(end.name), end.offset) }
        return text
    }
}
