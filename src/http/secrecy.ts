/** For replies to a URL that a key stands in: no cache may keep one, no page name it as its referrer. */
export const secrecyHeaders = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }
