import SternaPlatform

/// Bandwidth limits by the time of day: the limits of windows, and those outside of them.
///
///     queue.schedule = BandwidthSchedule(
///         [.init(from: .init(8, 0), to: .init(18, 30), on: .workdays, download: 500_000, upload: 100_000)],
///         otherwise: .init(download: nil))
public struct BandwidthSchedule: Sendable, Hashable {
    /// Limits in bytes per second; nil for none.
    public struct Rates: Sendable, Hashable {
        /// The limit of downloads in bytes per second; nil for none.
        public var download: Int?

        /// The limit of uploads in bytes per second; nil for none.
        public var upload: Int?

        /// Creates limits in bytes per second; nil, the default, for none.
        public init(download: Int? = nil, upload: Int? = nil) { (self.download, self.upload) = (download, upload) }
    }

    /// A time of day.
    public struct Time: Sendable, Hashable, Comparable, CustomStringConvertible {
        /// The minutes since midnight, from 0 to 1,440, which is the end of the day.
        public let minutes: Int

        /// Creates a time from an hour, 0 to 24, and a minute, 0 to 59. Values out of range are clamped.
        public init(_ hour: Int, _ minute: Int = 0) {
            minutes = min(1_440, min(24, max(0, hour)) * 60 + min(59, max(0, minute)))
        }

        public static func < (one: Time, other: Time) -> Bool { one.minutes < other.minutes }

        /// For instance `08:05`.
        public var description: String {
            let (hour, minute) = (minutes / 60, minutes % 60)
            return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
        }
    }

    /// Days of the week.
    public struct Days: OptionSet, Sendable, Hashable {
        /// A bit for each day, from Sunday in the lowest bit.
        public let rawValue: UInt8

        /// Creates a set of days from its bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The days of the week.
        public static let sunday = Days(rawValue: 1 << 0)
        public static let monday = Days(rawValue: 1 << 1)
        public static let tuesday = Days(rawValue: 1 << 2)
        public static let wednesday = Days(rawValue: 1 << 3)
        public static let thursday = Days(rawValue: 1 << 4)
        public static let friday = Days(rawValue: 1 << 5)
        public static let saturday = Days(rawValue: 1 << 6)

        /// Monday to Friday, Saturday and Sunday, and all days.
        public static let workdays: Days = [.monday, .tuesday, .wednesday, .thursday, .friday]
        public static let weekend: Days = [.saturday, .sunday]
        public static let all: Days = [.workdays, .weekend]
    }

    /// A window of time on given days, with its limits.
    public struct Window: Sendable, Hashable {
        /// The beginning.
        public var from: Time

        /// The end. If it is not later than the beginning, the window ends on the next day.
        public var to: Time

        /// The days on which the window begins.
        public var days: Days

        /// The limits within the window.
        public var rates: Rates

        /// Creates a window. The limits are in bytes per second; nil, the default, for none.
        public init(from: Time, to: Time, on days: Days = .all, download: Int? = nil, upload: Int? = nil) {
            (self.from, self.to, self.days) = (from, to, days)
            rates = Rates(download: download, upload: upload)
        }
    }

    /// The time zone of a schedule.
    public enum Zone: Sendable, Hashable {
        /// The machine's time zone, with its summer time.
        case local
        /// Coordinated Universal Time.
        case utc
    }

    /// The windows. Where they overlap, the first one counts. Only the first 100 have an effect.
    public var windows: [Window]

    /// The limits outside of the windows.
    public var otherwise: Rates

    /// The time zone of the windows; `local` by default.
    public var zone: Zone

    /// Creates a schedule from its windows, with no limits outside of them by default.
    public init(_ windows: [Window], otherwise: Rates = Rates(), zone: Zone = .local) {
        (self.windows, self.otherwise, self.zone) = (windows, otherwise, zone)
    }

    private static let mostWindows = 100

    /// Returns the limits at a moment.
    func rates(at moment: WeekMoment) -> Rates {
        windows.prefix(Self.mostWindows).first { $0.contains(moment) }?.rates ?? otherwise
    }

    /// Returns the seconds until a window begins or ends, at least 1; nil without windows.
    func secondsToNextChange(after moment: WeekMoment) -> Int? {
        let now = moment.weekday * 86_400 + moment.second
        let edges = windows.prefix(Self.mostWindows).flatMap { window in
            (0..<7).filter { window.days.contains(Days(rawValue: 1 << UInt8($0))) }.flatMap { day in
                let start = day * 86_400 + window.from.minutes * 60
                return [start, start + window.length]
            }
        }
        let week = 7 * 86_400
        return edges.map { edge in
            let rest = (edge - now) % week
            return rest > 0 ? rest : rest + week
        }.min()
    }
}

extension BandwidthSchedule.Window {
    /// The length in seconds.
    fileprivate var length: Int {
        let minutes = to.minutes - from.minutes
        return (minutes > 0 ? minutes : minutes + 1_440) * 60
    }

    fileprivate func contains(_ moment: WeekMoment) -> Bool {
        let today = BandwidthSchedule.Days(rawValue: 1 << UInt8(moment.weekday))
        let yesterday = BandwidthSchedule.Days(rawValue: 1 << UInt8((moment.weekday + 6) % 7))
        let start = from.minutes * 60
        let isSince = moment.second >= start && moment.second < start + length
        let isStill = moment.second + 86_400 >= start && moment.second + 86_400 < start + length
        return days.contains(today) && isSince || days.contains(yesterday) && isStill
    }
}

/// A moment within a week.
struct WeekMoment: Sendable, Hashable {
    /// The day, from 0, Sunday, to 6.
    var weekday: Int

    /// The seconds since midnight, below 86,400.
    var second: Int

    /// Creates a moment. Values out of range wrap around.
    init(weekday: Int, second: Int) {
        self.weekday = ((weekday % 7) + 7) % 7
        self.second = ((second % 86_400) + 86_400) % 86_400
    }

    /// Returns the present moment on the machine's clock.
    static func now(in zone: BandwidthSchedule.Zone) -> WeekMoment {
        var seconds = time(nil)
        var parts = tm()
        let isKnown = zone == .local ? localtime_r(&seconds, &parts) != nil : gmtime_r(&seconds, &parts) != nil
        guard isKnown else { return WeekMoment(weekday: 0, second: 0) }
        let second = Int(parts.tm_hour) * 3_600 + Int(parts.tm_min) * 60 + min(59, Int(parts.tm_sec))
        return WeekMoment(weekday: Int(parts.tm_wday), second: second)
    }
}
