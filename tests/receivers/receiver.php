<?php
// A receiver of oncepay's webhooks, with PHP alone: WEBHOOK_SECRET=whsec_... php -S 127.0.0.1:8000 receiver.php
declare(strict_types=1);

function verified(string $id, string $timestamp, string $signatures, string $body): bool
{
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $key = base64_decode(substr(getenv('WEBHOOK_SECRET'), strlen('whsec_')), true);
    // The bytes that came, not JSON that was written anew.
    $ours = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $signatures) as $one) { // several during a rotation
        if (hash_equals($ours, $one)) {
            return true;
        }
    }
    return false;
}

$id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
$body = (string) file_get_contents('php://input');
if (!verified($id, $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '', $body)) {
    http_response_code(401);
    exit;
}
['type' => $type, 'data' => $data] = json_decode($body, true, 64, JSON_THROW_ON_ERROR);
// In a shop: your own database, and both tables written together with the work that a message asks for.
$db = new PDO('sqlite:' . (getenv('RECEIVER_DB') ?: 'receiver.db'), null, null, [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
$db->exec('PRAGMA busy_timeout = 5000');
$db->exec('CREATE TABLE IF NOT EXISTS seen (id TEXT PRIMARY KEY)');
$db->exec('CREATE TABLE IF NOT EXISTS versions (order_no TEXT PRIMARY KEY, version INTEGER NOT NULL)');
$db->exec('BEGIN IMMEDIATE');
$new = $db->prepare('INSERT OR IGNORE INTO seen (id) VALUES (?)');
$new->execute([$id]);
if ($new->rowCount() === 1) { // else it is sent again: done already
    if (str_starts_with($type, 'entitlement.')) { // each moves a quantity, in whatever order they come
        error_log("$type {$data['kind']} {$data['quantity']}");
    } else {
        $newer = $db->prepare('INSERT INTO versions (order_no, version) VALUES (?, ?) ON CONFLICT (order_no)
            DO UPDATE SET version = excluded.version WHERE excluded.version > versions.version');
        $newer->execute([$data['order_no'], $data['version']]);
        if ($newer->rowCount() === 1) { // else an older version: old news
            error_log("{$data['order_no']} {$data['status']}");
        }
    }
}
$db->exec('COMMIT');
http_response_code(204);
