public import SternaCore
import SternaPlatform

extension JSON {
    /// Makes an object from parameters, with its members in their order.
    ///
    /// Dates become ISO 8601 text in UTC (`2020-01-02T03:04:05Z`), and sets arrays in ascending order.
    ///
    /// - Parameter data: the format of bytes; base64 text (RFC 4648, section 4) by default.
    /// - Throws: ``ParameterError`` with the key path of a number that is not finite, of a date outside the years 0000
    ///   to 9999, of containers nested deeper than ``maximumDepth``, or of bytes that the caller's closure throws for.
    public init(_ parameters: Parameters, data: QueryEncoder.DataStyle = .base64) throws(ParameterError) {
        self = .object(try Self.object(parameters, data, depth: 1))
    }

    /// Makes a tree from a single value, by the rules of ``init(_:data:)-(Parameters,_)``.
    ///
    /// - Throws: ``ParameterError`` as ``init(_:data:)-(Parameters,_)`` does.
    public init(_ value: ParameterValue, data: QueryEncoder.DataStyle = .base64) throws(ParameterError) {
        try self.init(value, data, depth: 0)
    }

    private init(_ value: ParameterValue, _ style: QueryEncoder.DataStyle, depth: Int) throws(ParameterError) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .number(JSON.Number(value))
        case .unsigned(let value): self = .number(JSON.Number(value))
        case .double(let value):
            guard value.isFinite else { throw ParameterError(.nonFiniteNumber) }
            self = .number(JSON.Number(value))
        case .decimal(let value):
            guard let number = JSON.Number(literal: value.description) else { throw ParameterError(.nonFiniteNumber) }
            self = .number(number)
        case .string(let value): self = .string(value)
        case .date(let value): self = .string(try ParameterText.date(value))
        case .data(let value):
            switch style {
            case .base64: self = .string(value.base64EncodedString())
            case .numbers: self = .array(try Self.array(value.map { .integer(Int64($0)) }, style, depth: depth + 1))
            case .custom(let write): self = .string(try ParameterText.custom { try write(value) })
            }
        case .array(let elements): self = .array(try Self.array(elements, style, depth: depth + 1))
        case .set(let elements):
            self = .array(try Self.array(elements.sorted { $0.precedes($1) }, style, depth: depth + 1))
        case .dictionary(let parameters): self = .object(try Self.object(parameters, style, depth: depth + 1))
        }
    }

    private static func object(
        _ parameters: Parameters, _ style: QueryEncoder.DataStyle, depth: Int
    ) throws(ParameterError) -> JSON.Object {
        guard depth <= maximumDepth else { throw ParameterError(.tooDeep(limit: maximumDepth)) }
        var object = JSON.Object()
        // Arrays, which are faster than the iterator of another module.
        for (key, value) in zip(parameters.keys, parameters.values) {
            do {
                object.set(try JSON(value, style, depth: depth), for: key)
            } catch {
                throw error.under(.key(key))
            }
        }
        return object
    }

    private static func array(
        _ values: [ParameterValue], _ style: QueryEncoder.DataStyle, depth: Int
    ) throws(ParameterError) -> [JSON] {
        guard depth <= maximumDepth else { throw ParameterError(.tooDeep(limit: maximumDepth)) }
        var elements: [JSON] = []
        elements.reserveCapacity(values.count)
        for index in values.indices {
            do {
                elements.append(try JSON(values[index], style, depth: depth))
            } catch {
                throw error.under(.index(index))
            }
        }
        return elements
    }
}
