/**
 * The families of tools, in the spelling with which their User-Agents start.
 */
const families = [
  'curl',
  'libcurl',
  'Wget',
  'Wget2',
  'HTTPie',
  'xh',
  'aria2',
  'Lynx',
  'w3m',
  'ELinks',
  'Links',
  'python-requests',
  'python-httpx',
  'Python-urllib',
  'Python',
  'aiohttp',
  'python-urllib3',
  'Go-http-client',
  'go-resty',
  'fasthttp',
  'reqwest',
  'hyper',
  'ureq',
  'Dart',
  'libwww-perl',
  'node',
  'Node.js',
  'node-fetch',
  'axios',
  'undici',
  'got',
  'ky',
  'node-superagent',
  'needle',
  'Deno',
  'Bun',
  'okhttp',
  'Java',
  'Java-http-client',
  'Apache-HttpClient',
  'ReactorNetty',
  'Apache-HttpAsyncClient',
  'Jersey',
  'Jetty',
  'unirest-java',
  'AHC',
  'RestSharp',
  'Flurl',
  'LWP::Simple',
  'WWW-Mechanize',
  'HTTP-Tiny',
  'PHP',
  'GuzzleHttp',
  'Symfony',
  'HTTP_Request2',
  'Ruby',
  'Faraday',
  'rest-client',
  'http.rb',
  'HTTParty',
  'Typhoeus',
  'Mechanize',
  'Excon',
  'PostmanRuntime',
  'Postman',
  'insomnia',
  'Bruno',
  'bruno-runtime',
  'Thunder',
  'Hoppscotch',
  'k6',
  'ApacheBench',
  'wrk',
  'oha',
  'hey',
  'Vegeta',
  'autocannon',
  'Artillery',
  'lua-resty-http',
  'WinHttp',
  'Microsoft-WinHTTP',
  'cpp-httplib',
  'Elixir',
  'hackney',
  'finagle',
  'gaxios',
]

const familyByFirstWord = new Map(families.map((family) => [family.toLowerCase(), family]))

/**
 * Returns the family of the command-line tool, HTTP library or text browser in a User-Agent
 * (`curl/8.5.0` is `curl`), or undefined. The list is fixed, so that visitors cannot add labels to
 * the statistics.
 */
export function findToolFamily(userAgent: string): string | undefined {
  const firstWord = /^[^\s/();,]+/.exec(userAgent)?.[0]
  // Only PowerShell imitates a browser.
  if (firstWord === 'Mozilla') return /powershell\//i.test(userAgent) ? 'PowerShell' : undefined
  return firstWord === undefined ? undefined : familyByFirstWord.get(firstWord.toLowerCase())
}

/** Returns the family with this name, ignoring case, or undefined. */
export function findToolByName(name: string): string | undefined {
  return name.toLowerCase() === 'powershell'
    ? 'PowerShell'
    : familyByFirstWord.get(name.toLowerCase())
}
