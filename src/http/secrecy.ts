/** Headers that keep a URL with a key out of caches and referrers. */
export const secrecyHeaders = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }
