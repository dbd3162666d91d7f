const desktop = (version: number) =>
  `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.0.0 Safari/537.36`
const android = (version: number) =>
  `Mozilla/5.0 (Linux; Android ${version}; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${112 + version}.0.0.0 Mobile Safari/537.36`
const iphone = (version: number) =>
  `Mozilla/5.0 (iPhone; CPU iPhone OS ${version}_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/${version}.1 Mobile/15E148 Safari/604.1`
const firefox = (version: number) =>
  `Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:${version}.0) Gecko/20100101 Firefox/${version}.0`

/** Returns the User-Agents of four browsers in the given number of versions each. */
export function userAgents(versions: number): string[] {
  return Array.from({ length: versions }, (_, step) => [
    desktop(126 + step),
    android(10 + step),
    iphone(14 + step),
    firefox(128 + step),
  ]).flat()
}
