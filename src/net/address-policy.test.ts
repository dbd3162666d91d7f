import { describe, expect, test } from 'vitest'
import { createAddressPolicy } from './address-policy.ts'

describe('an address of a cloud itself', () => {
  test.each([
    ['168.63.129.16', ['168.63.129.15', '168.63.129.17']],
    ['199.36.153.5', ['199.36.153.3', '199.36.153.12']],
    ['161.26.255.255', ['161.25.255.255', '161.27.0.0']],
    ['166.8.0.0', ['166.7.255.255', '166.12.0.0']],
    ['2600:2d00:2:1000::', ['2600:2d00:2:fff::', '2600:2d00:2:1100::']],
  ])('%s may not be dialled, its neighbours may', (address, neighbours) => {
    const isPermitted = createAddressPolicy([])
    expect([address, ...neighbours].map(isPermitted)).toEqual([false, true, true])
  })

  test('may be dialled where the operator says so', () => {
    expect(createAddressPolicy(['168.63.129.16/32'])('168.63.129.16')).toBe(true)
  })
})
