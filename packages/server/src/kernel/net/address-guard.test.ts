import ipaddr from 'ipaddr.js'
import { describe, expect, test } from 'vitest'
import { AllowedNetworksInvalid, createAddressGuard, parseAllowedNetworks } from './address-guard.ts'
import { loopbackSpellings, neverAddresses, privateAddresses, publicAddresses } from './ssrf-vectors.ts'
import { UrlRefused } from './url-rules.ts'

const guardOf = (setting: string) => createAddressGuard({ allow: parseAllowedNetworks(setting) })
const closed = guardOf('')

describe('addresses', () => {
  test('at least 63 addresses that are not public are listed, each once', () => {
    expect(new Set(privateAddresses).size).toBe(privateAddresses.length)
    expect(privateAddresses.length).toBeGreaterThanOrEqual(63)
  })
  test.each(privateAddresses)('%s is refused', (address) => {
    expect(closed.refused(address)).toBe(true)
  })
  test.each(publicAddresses)('%s is not refused', (address) => {
    expect(closed.refused(address)).toBe(false)
  })
  test.each(['', 'localhost', '127.1', '1.2.3.4.5', '1.1.1.1:80', '[::1]'])('"%s", no address, is refused', (text) => {
    expect(closed.refused(text)).toBe(true)
  })

  test('whatever another classifier calls special is refused, over 20,000 addresses', () => {
    const disagreements: string[] = []
    let seed = 1
    const next = () => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
      return seed >>> 16
    }
    for (let count = 0; count < 20_000; count++) {
      const groups = Array.from({ length: 8 }, next)
      if (count % 2 === 0) groups[0] = 0x2000 + (groups[0]! & 0x03ff)
      const v4 = `${next() & 0xff}.${next() & 0xff}.${next() & 0xff}.${next() & 0xff}`
      for (const address of [v4, groups.map((group) => group.toString(16)).join(':')]) {
        if (ipaddr.parse(address).range() !== 'unicast' && !closed.refused(address)) disagreements.push(address)
      }
    }
    expect(disagreements).toEqual([])
  })
})

describe('opened networks', () => {
  test('loopback opens loopback only', () => {
    const guard = guardOf('loopback')
    const open = privateAddresses.filter((address) => !guard.refused(address))
    expect(open).toEqual(['127.0.0.1', '127.255.255.254', '::1'])
  })
  test('networks and loopback mix, with spaces and empty parts', () => {
    const guard = guardOf(' 10.1.0.0/16,loopback,, fd12::/16 ')
    expect(guard.allowed.cidrs).toEqual(['10.1.0.0/16', '127.0.0.0/8', '::1/128', 'fd12::/16'])
    expect(['10.1.2.3', '127.0.0.1', '::1', 'fd12::5'].map(guard.refused)).toEqual([false, false, false, false])
    expect(['10.2.0.1', '192.168.0.1', 'fd13::1'].map(guard.refused)).toEqual([true, true, true])
  })
  test.each(neverAddresses)('%s stays refused when everything is opened', (address) => {
    expect(guardOf('0.0.0.0/0, ::/0').refused(address)).toBe(true)
    expect(guardOf('0.0.0.0/0, ::/0').isAllowedPrivate(address)).toBe(false)
  })
  test.each([
    'localhost',
    '10.0.0.1',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0/8',
    'fd00::/129',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '*',
  ])('"%s" is no network, and the answer names the setting', (setting) => {
    expect(() => parseAllowedNetworks(`loopback,${setting}`)).toThrow(AllowedNetworksInvalid)
    expect(() => parseAllowedNetworks(setting)).toThrow(/MORTISE_ALLOW_PRIVATE_NETWORK/)
  })
})

describe('URLs', () => {
  test.each(loopbackSpellings.filter((host) => host !== 'localhost' && !host.includes('@')))(
    'https://%s/ is refused for its address, with a remedy',
    (host) => {
      expect(closed.checkUrl(`https://${host}/`)).toMatchObject({
        code: 'address',
        remedy: expect.stringContaining('MORTISE_ALLOW_PRIVATE_NETWORK'),
      })
    },
  )
  test.each([
    ['not a url', 'invalid'],
    ['//example.com/', 'invalid'],
    ['file:///etc/passwd', 'scheme'],
    ['gopher://example.com/', 'scheme'],
    ['ftp://example.com/', 'scheme'],
    ['data:text/plain,x', 'scheme'],
    ['unix:/run/docker.sock', 'scheme'],
    ['https://user@127.0.0.1/', 'userinfo'],
    ['https://:secret@example.com/', 'userinfo'],
    ['https://example.com:22/', 'port'],
    ['https://example.com:25/', 'port'],
    ['https://example.com:6379/', 'port'],
    ['https://example.com:5432/', 'port'],
    ['https://example.com:0/', 'port'],
    ['http://8.8.8.8/', 'insecure_http'],
  ])('%s is refused as %s', (url, code) => {
    expect(closed.checkUrl(url)).toMatchObject({ code })
  })
  test.each(['https://example.com/', 'https://example.com:8443/x?y', 'https://8.8.8.8/', 'http://example.com:80/'])(
    '%s passes',
    (url) => {
      expect(closed.checkUrl(url)).toBeUndefined()
    },
  )
  test('plain http passes towards an opened network, or where it is asked for', () => {
    expect(guardOf('loopback').checkUrl('http://127.0.0.1:8080/')).toBeUndefined()
    expect(guardOf('loopback').checkUrl('http://8.8.8.8/')).toMatchObject({ code: 'insecure_http' })
    expect(closed.checkUrl('http://8.8.8.8/', { allowHttp: true })).toBeUndefined()
  })
  test('the refusal that is thrown says what to do, and holds no secret of the URL', () => {
    const attempt = () => closed.assertUrlAllowed('https://key:hunter2@example.com/?token=hunter2')
    expect(attempt).toThrow(UrlRefused)
    expect(attempt).toThrow(/send credentials as a header/)
    expect(attempt).not.toThrow(/hunter2/)
  })
})
