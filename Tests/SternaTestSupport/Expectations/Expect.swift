import Testing

// Expectations that are functions. The compiler's plug-in expands each `#expect`, and the result is parsed and type-checked again: 25 ms
// on two slow cores, where a call takes 2 ms, and the tests have ten thousand comparisons. `#expect` is for everything else.

/// Records an issue with both values unless they are equal.
func expectEqual<Value: Equatable>(
    _ value: Value, _ expected: Value, sourceLocation: SourceLocation? = nil, fileID: String = #fileID,
    filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
    if value == expected { return }
    fail(value, expected, nil, sourceLocation ?? .init(fileID, filePath, line, column))
}

/// Records an issue with both values and a comment unless they are equal.
func expectEqual<Value: Equatable>(
    _ value: Value, _ expected: Value, _ comment: @autoclosure () -> Comment, sourceLocation: SourceLocation? = nil,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
    if value == expected { return }
    fail(value, expected, comment(), sourceLocation ?? .init(fileID, filePath, line, column))
}

/// Records an issue with a value unless it is nil.
///
/// A type that is itself written as `nil`, such as `JSON`, is compared by `#expect(value == nil)`: here it would be a value.
func expectNil<Value>(
    _ value: Value?, sourceLocation: SourceLocation? = nil, fileID: String = #fileID, filePath: String = #filePath,
    line: Int = #line, column: Int = #column
) {
    guard let value else { return }
    fail(value, Value?.none, nil, sourceLocation ?? .init(fileID, filePath, line, column))
}

/// Records an issue with a value and a comment unless the value is nil.
func expectNil<Value>(
    _ value: Value?, _ comment: @autoclosure () -> Comment, sourceLocation: SourceLocation? = nil,
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
) {
    guard let value else { return }
    fail(value, Value?.none, comment(), sourceLocation ?? .init(fileID, filePath, line, column))
}

private func fail<Value, Expected>(
    _ value: Value, _ expected: Expected, _ comment: Comment?, _ location: SourceLocation
) {
    let text = "\(String(reflecting: value)) is not \(String(reflecting: expected))"
    Issue.record(comment.map { "\(text): \($0.rawValue)" } ?? "\(text)", sourceLocation: location)
}

extension SourceLocation {
    fileprivate init(_ fileID: String, _ filePath: String, _ line: Int, _ column: Int) {
        self.init(fileID: fileID, filePath: filePath, line: line, column: column)
    }
}
