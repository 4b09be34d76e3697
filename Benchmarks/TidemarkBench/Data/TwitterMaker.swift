import Foundation
import Tidemark
import TidemarkCore

/// Some 600 kB like the answer of a social network: objects in objects, escapes, long texts in several scripts.
enum TwitterMaker {
    private static let words = [
        "the", "tide", "sync", "\\u6f6e\\u6c50", "caf\\u00e9", "\\\"quoted\\\"", "naïve", "潮が満ちる", "line\\nbreak",
        "http:\\/\\/t.example\\/a1b2", "#offline", "@someone", "🌊", "and", "of", "a",
    ]

    static func text(_ laboratory: Laboratory) throws -> [UInt8] {
        if let file = try laboratory.file("twitter.json") { return file }
        var generator = SeededGenerator(seed: 7)
        let statuses = (0..<240).map { self.status($0, &generator) }
        return Array(#"{"statuses":[\#(statuses.joined(separator: ","))],"search_metadata":{"count":240}}"#.utf8)
    }

    private static func prose(_ count: Int, _ generator: inout SeededGenerator) -> String {
        (0..<count).map { _ in self.words[Int(generator.next() % UInt64(self.words.count))] }.joined(separator: " ")
    }

    private static func status(_ number: Int, _ generator: inout SeededGenerator) -> String {
        let id = generator.next() >> 4
        return """
            {"metadata":{"result_type":"recent","iso_language_code":"ja"},"created_at":"Sun Aug 31 00:29:15 +0000 2014",\
            "id":\(id),"id_str":"\(id)","text":"\(self.prose(24, &generator))","source":"<a href=\\"http://x.example\\">x<\\/a>",\
            "truncated":false,"in_reply_to_status_id":null,"user":\(self.user(number, &generator)),"geo":null,\
            "coordinates":[\(number).52,-\(number).405],"retweet_count":\(number * 3),"favorite_count":0,\
            "entities":{"hashtags":[{"text":"offline","indices":[12,20]}],"symbols":[],"urls":[],\
            "user_mentions":[{"screen_name":"someone","id":\(id >> 9),"indices":[3,11]}]},\
            "favorited":false,"retweeted":false,"lang":"ja","quoted":{"text":"\(self.prose(30, &generator))","depth":\
            {"a":{"b":{"c":[1,2.5e3,-0.001,true,null]}}}}}
            """
    }

    private static func user(_ number: Int, _ generator: inout SeededGenerator) -> String {
        let id = generator.next() >> 30
        return """
            {"id":\(id),"id_str":"\(id)","name":"\(self.prose(2, &generator))","screen_name":"user_\(number)",\
            "location":"","description":"\(self.prose(18, &generator))","url":null,"protected":false,\
            "followers_count":\(id % 5000),"friends_count":252,"listed_count":0,"created_at":"Thu Apr 11 2013",\
            "favourites_count":\(id % 900),"utc_offset":null,"time_zone":null,"geo_enabled":false,"verified":false,\
            "statuses_count":1769,"lang":"en","contributors_enabled":false,"profile_background_color":"C0DEED",\
            "profile_image_url":"http:\\/\\/pbs.example\\/profile_images\\/\(id)\\/normal.jpeg",\
            "profile_link_color":"0084B4","profile_use_background_image":true,"default_profile":true,\
            "following":false,"follow_request_sent":false,"notifications":false}
            """
    }
}
