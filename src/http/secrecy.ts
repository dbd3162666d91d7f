/** Headers of replies to a URL that contains a key: never cached, never sent as a referrer. */
export const secrecyHeaders = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }
