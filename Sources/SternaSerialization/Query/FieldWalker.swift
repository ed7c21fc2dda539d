import SternaCore
import SternaPlatform

/// Receives the fields that a ``FieldWalker`` finds; the name is UTF-8 before percent-encoding.
protocol FieldSink {
    mutating func add(name: [UInt8], value: String?) throws(ParameterError)

    /// Adds data unchanged; returns false if the sink needs text instead.
    mutating func add(name: [UInt8], data: Data) -> Bool
}

extension FieldSink {
    mutating func add(name: [UInt8], data: Data) -> Bool { false }
}

/// Walks parameters by an encoder's rules and passes each field to a sink.
struct FieldWalker<Sink: FieldSink> {
    let encoder: QueryEncoder
    var sink: Sink
    // The name of the current value, extended on the way down and truncated on the way up, so that no name is built twice.
    private var name: [UInt8] = []
    private var depth = 0

    init(encoder: QueryEncoder, sink: Sink) {
        self.encoder = encoder
        self.sink = sink
    }

    mutating func walk(_ parameters: Parameters) throws(ParameterError) {
        try enter()
        defer { depth -= 1 }
        let keys = parameters.keys
        let values = parameters.values
        if encoder.sortsKeys, !Self.isAscending(keys) {
            for position in keys.indices.sorted(by: { keys[$0] < keys[$1] }) {
                try walk(values[position], under: keys[position])
            }
        } else {
            for position in keys.indices {
                try walk(values[position], under: keys[position])
            }
        }
    }

    private mutating func walk(_ value: ParameterValue, under key: String) throws(ParameterError) {
        let length = name.count
        let outer = append(key)
        defer {
            if let outer { name = outer } else { name.removeLast(name.count - length) }
        }
        do {
            try walk(value)
        } catch {
            throw error.under(.key(key))
        }
    }

    /// Appends a key to the name. Returns the old name if a closure replaced it, or nil.
    private mutating func append(_ key: String) -> [UInt8]? {
        let key = encoder.keys.changed(key, isFirst: depth <= 1)
        guard depth > 1 else {
            name.append(contentsOf: key.utf8)
            return nil
        }
        switch encoder.nesting {
        case .brackets:
            name.append(UInt8(ascii: "["))
            name.append(contentsOf: key.utf8)
            name.append(UInt8(ascii: "]"))
            return nil
        case .dots:
            name.append(UInt8(ascii: "."))
            name.append(contentsOf: key.utf8)
            return nil
        case .custom(let rename):
            let outer = name
            name = Array(rename(String(decoding: outer, as: UTF8.self), key).utf8)
            return outer
        }
    }

    private mutating func walk(_ value: ParameterValue) throws(ParameterError) {
        switch value {
        case .dictionary(let parameters): try walk(parameters)
        case .array(let elements): try walk(array: elements)
        case .set(let elements):
            switch encoder.sets {
            case .repeatedKey: try walk(set: elements)
            case .array: try walk(array: elements.sorted { $0.precedes($1) })
            }
        default: try add(value)
        }
    }

    private mutating func walk(array elements: [ParameterValue]) throws(ParameterError) {
        try enter()
        defer { depth -= 1 }
        for index in elements.indices {
            let length = name.count
            do {
                switch encoder.arrays {
                case .none:
                    try walk(elements[index])
                case .brackets:
                    name.append(contentsOf: [UInt8(ascii: "["), UInt8(ascii: "]")])
                    try walk(elements[index])
                case .indices:
                    name.append(contentsOf: "[\(index)]".utf8)
                    try walk(elements[index])
                case .custom(let rename):
                    let outer = name
                    name = Array(rename(String(decoding: outer, as: UTF8.self), index).utf8)
                    defer { name = outer }
                    try walk(elements[index])
                }
            } catch {
                throw error.under(.index(index))
            }
            name.removeLast(name.count - length)
        }
    }

    private mutating func walk(set elements: [ParameterValue]) throws(ParameterError) {
        try enter()
        defer { depth -= 1 }
        var plain: [(text: String, value: ParameterValue)] = []
        var containers: [ParameterValue] = []
        for element in elements {
            switch element {
            case .array, .set, .dictionary: containers.append(element)
            default: plain.append((try ParameterText.text(of: element, by: encoder) ?? "", element))
            }
        }
        for element in plain.sorted(by: { $0.text < $1.text }) { try add(element.value) }
        for element in containers.sorted(by: { $0.precedes($1) }) { try walk(element) }
    }

    private mutating func add(_ value: ParameterValue) throws(ParameterError) {
        if case .data(let data) = value {
            if sink.add(name: name, data: data) { return }
            if case .numbers = encoder.data { return try walk(array: data.map { .integer(Int64($0)) }) }
        }
        if let text = try ParameterText.text(of: value, by: encoder) {
            try sink.add(name: name, value: text)
            return
        }
        switch encoder.nulls {
        case .bareKey: try sink.add(name: name, value: nil)
        case .emptyValue: try sink.add(name: name, value: "")
        case .literal: try sink.add(name: name, value: "null")
        case .omitted: break
        }
    }

    private mutating func enter() throws(ParameterError) {
        guard depth < Parameters.maximumDepth else { throw ParameterError(.tooDeep(limit: Parameters.maximumDepth)) }
        depth += 1
    }

    private static func isAscending(_ keys: [String]) -> Bool {
        for index in keys.indices.dropFirst() where !(keys[index - 1] < keys[index]) { return false }
        return true
    }
}
