import { describe, expect, test } from 'vitest'
import { createAddressPolicy } from './address-policy.ts'

describe("a cloud platform's internal address", () => {
  test.each([
    ['168.63.129.16', ['168.63.129.15', '168.63.129.17']],
    ['199.36.153.5', ['199.36.153.3', '199.36.153.12']],
    ['161.26.255.255', ['161.25.255.255', '161.27.0.0']],
    ['166.8.0.0', ['166.7.255.255', '166.12.0.0']],
    ['2600:2d00:2:1000::', ['2600:2d00:2:fff::', '2600:2d00:2:1100::']],
  ])('is rejected, unlike its neighbors: %s', (address, neighbors) => {
    const isPermitted = createAddressPolicy([])
    expect([address, ...neighbors].map(isPermitted)).toEqual([false, true, true])
  })

  test('is accepted if the operator allows it', () => {
    expect(createAddressPolicy(['168.63.129.16/32'])('168.63.129.16')).toBe(true)
  })
})

describe('an IPv6 address that embeds an IPv4 address', () => {
  const embed = (ipv4: string) => {
    const bytes = ipv4.split('.').map(Number)
    const groups = (octets: number[]) =>
      Buffer.from(octets).toString('hex').match(/.{4}/g)?.join(':')
    const inverted = bytes.map((byte) => 255 - byte)
    return [
      `::ffff:0:${ipv4}`,
      `::${groups(bytes)}`,
      `64:ff9b::${ipv4}`,
      `64:ff9b:1:2::${ipv4}`,
      `2002:${groups(bytes)}::1`,
      // Teredo: the address of the server, and the address of the client with inverted bits.
      // The other one is 8.8.8.8.
      `2001:0:${groups(bytes)}::${groups([247, 247, 247, 247])}`,
      `2001:0:808:808::${groups(inverted)}`,
    ]
  }
  const allow = ['::/96', '::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48', '2000::/3']

  test.each(['10.0.0.1', '127.0.0.1', '169.254.169.254', '168.63.129.16'])(
    'cannot bypass the rejection of %s, even if its own range is allowed',
    (ipv4) => {
      const isPermitted = createAddressPolicy(allow)
      expect(embed(ipv4).filter(isPermitted)).toEqual([])
      expect(isPermitted(`::ffff:${ipv4}`)).toBe(false)
    },
  )

  test('is accepted only if both are allowed', () => {
    expect(embed('93.184.215.14').every(createAddressPolicy(allow))).toBe(true)
    expect(embed('10.0.0.1').every(createAddressPolicy([...allow, '10.0.0.0/8']))).toBe(true)
    expect(embed('93.184.215.14').filter(createAddressPolicy([]))).toEqual([])
    expect(embed('10.0.0.1').filter(createAddressPolicy(['10.0.0.0/8']))).toEqual([])
  })
})
