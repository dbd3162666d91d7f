import { referrerOrigin } from './src/visitors/referrer.ts'
const hs = Array.from({ length: 64 }, (_, i) => Buffer.from('https://www.google.com/search?q=abcdefghijklmnop' + i).toString('latin1'))
for (let r = 0; r < 4; r++) { const t = performance.now(); let n = 0
for (let i = 0; i < 2e6; i++) n += referrerOrigin(hs[i & 63]).length
console.log('ns', (performance.now() - t) / 2, n) }
