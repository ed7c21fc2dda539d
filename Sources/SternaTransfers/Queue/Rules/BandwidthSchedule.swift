import SternaPlatform

/// Bandwidth limits by the time of the day: windows with limits of their own, and the limits outside of them.
///
///     queue.schedule = BandwidthSchedule(
///         [.init(from: .init(8, 0), to: .init(18, 30), on: .workdays, download: 500_000, upload: 100_000)],
///         otherwise: .init(download: nil))
public struct BandwidthSchedule: Sendable, Hashable {
    /// Limits in bytes per second; nil for none.
    public struct Rates: Sendable, Hashable {
        public var download: Int?
        public var upload: Int?

        public init(download: Int? = nil, upload: Int? = nil) { (self.download, self.upload) = (download, upload) }
    }

    /// A time of the day.
    public struct Time: Sendable, Hashable, Comparable, CustomStringConvertible {
        /// The minutes since midnight, from 0 to 1,440, the end of the day.
        public let minutes: Int

        /// Makes a time; values out of range become the nearest ones.
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
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let sunday = Days(rawValue: 1 << 0)
        public static let monday = Days(rawValue: 1 << 1)
        public static let tuesday = Days(rawValue: 1 << 2)
        public static let wednesday = Days(rawValue: 1 << 3)
        public static let thursday = Days(rawValue: 1 << 4)
        public static let friday = Days(rawValue: 1 << 5)
        public static let saturday = Days(rawValue: 1 << 6)
        public static let workdays: Days = [.monday, .tuesday, .wednesday, .thursday, .friday]
        public static let weekend: Days = [.saturday, .sunday]
        public static let all: Days = [.workdays, .weekend]
    }

    /// A window of each of some days.
    public struct Window: Sendable, Hashable {
        public var from: Time

        /// Its end. If it is not later than the beginning, the window ends on the next day.
        public var to: Time

        /// The days on which it begins.
        public var days: Days

        public var rates: Rates

        public init(from: Time, to: Time, on days: Days = .all, download: Int? = nil, upload: Int? = nil) {
            (self.from, self.to, self.days) = (from, to, days)
            rates = Rates(download: download, upload: upload)
        }
    }

    /// The clock that the times mean.
    public enum Zone: Sendable, Hashable {
        /// That of the machine, with its summer time.
        case local
        case utc
    }

    /// The windows; where they overlap, the first one counts. Those beyond the hundredth have no effect.
    public var windows: [Window]

    /// The limits outside of the windows.
    public var otherwise: Rates

    public var zone: Zone

    public init(_ windows: [Window], otherwise: Rates = Rates(), zone: Zone = .local) {
        (self.windows, self.otherwise, self.zone) = (windows, otherwise, zone)
    }

    private static let mostWindows = 100

    /// Returns the limits of a moment.
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
    /// Its length in seconds.
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

/// A moment of a week.
struct WeekMoment: Sendable, Hashable {
    /// 0, Sunday, to 6.
    var weekday: Int

    /// The seconds since midnight, below 86,400.
    var second: Int

    /// Makes a moment; values out of range wrap around.
    init(weekday: Int, second: Int) {
        self.weekday = ((weekday % 7) + 7) % 7
        self.second = ((second % 86_400) + 86_400) % 86_400
    }

    /// The moment on the machine's clock.
    static func now(in zone: BandwidthSchedule.Zone) -> WeekMoment {
        var seconds = time(nil)
        var parts = tm()
        let isKnown = zone == .local ? localtime_r(&seconds, &parts) != nil : gmtime_r(&seconds, &parts) != nil
        guard isKnown else { return WeekMoment(weekday: 0, second: 0) }
        let second = Int(parts.tm_hour) * 3_600 + Int(parts.tm_min) * 60 + min(59, Int(parts.tm_sec))
        return WeekMoment(weekday: Int(parts.tm_wday), second: second)
    }
}
