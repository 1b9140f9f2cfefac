// A receiver of oncepay's webhooks, with the JDK alone: WEBHOOK_SECRET=whsec_... java Receiver.java 8000
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.*;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Receiver {
    static final byte[] KEY = Base64.getDecoder().decode(System.getenv("WEBHOOK_SECRET").replaceFirst("^whsec_", ""));
    // In a shop: two tables, written together with the work that a message asks for.
    static final Set<String> seen = new HashSet<>();
    static final Map<String, Long> versions = new HashMap<>();

    static boolean verified(String id, String timestamp, String signatures, byte[] body) throws Exception {
        if (id == null || timestamp == null || signatures == null || !timestamp.matches("\\d{1,12}")) return false;
        if (Math.abs(System.currentTimeMillis() / 1000 - Long.parseLong(timestamp)) > 300) return false;
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(KEY, "HmacSHA256"));
        mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
        mac.update(body); // the bytes that came, not JSON that was written anew
        byte[] ours = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal())).getBytes(StandardCharsets.UTF_8);
        boolean genuine = false;
        for (String one : signatures.split(" ")) // several during a rotation
            genuine |= MessageDigest.isEqual(ours, one.getBytes(StandardCharsets.UTF_8));
        return genuine;
    }

    // Use your JSON library here; the JDK has none.
    static String field(String json, String name) {
        var found = Pattern.compile("\"" + name + "\":\"?([^\",}]*)").matcher(json);
        return found.find() ? found.group(1) : "";
    }

    static synchronized void take(String id, String message) {
        if (seen.contains(id)) return; // sent again: done already
        String type = field(message, "type"), orderNo = field(message, "order_no");
        long version = Long.parseLong(field(message, "version"));
        if (type.startsWith("entitlement.")) { // each moves a quantity, in whatever order they come
            System.out.println(type + " of " + orderNo);
        } else if (version > versions.getOrDefault(orderNo, 0L)) { // an older version is old news
            versions.put(orderNo, version);
            System.out.println(orderNo + " " + type);
        }
        seen.add(id);
    }

    public static void main(String[] arguments) throws Exception {
        var server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])), 0);
        server.createContext("/", exchange -> {
            Headers headers = exchange.getRequestHeaders();
            byte[] body = exchange.getRequestBody().readAllBytes();
            int status = 500;
            try {
                String id = headers.getFirst("webhook-id");
                boolean genuine = verified(id, headers.getFirst("webhook-timestamp"), headers.getFirst("webhook-signature"), body);
                if (genuine) take(id, new String(body, StandardCharsets.UTF_8));
                status = genuine ? 204 : 401;
            } catch (Exception failed) {
                failed.printStackTrace(); // 500: it is sent again
            }
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
        server.start();
    }
}
