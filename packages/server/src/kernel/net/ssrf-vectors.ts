/** Addresses that a request made for a user must never reach; used by tests alone. */
export const privateAddresses = `
  127.0.0.1 127.255.255.254 0.0.0.0 0.1.2.3 10.0.0.0 10.255.255.255 172.16.0.0 172.31.255.255 192.168.0.1 169.254.169.254
  169.254.170.2 100.64.0.1 100.100.100.200 168.63.129.16 192.0.0.192 192.0.0.1 192.0.2.1 198.51.100.1 203.0.113.1 198.18.0.1
  198.19.255.254 192.88.99.1 192.31.196.1 192.52.193.1 192.175.48.1 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255
  ::1 :: ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:169.254.169.254 ::127.0.0.1 ::7f00:1 ::169.254.169.254 ::ffff:0:127.0.0.1
  64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::a00:1 2002:7f00:1:: 2002:a9fe:a9fe:: 2001:0:4136:e378:8000:63bf:3fff:fdd2
  2001:db8::1 3fff::1 100::1 100:0:0:1::1 5f00::1 2001:20::1 2001:2::1 2001:10::1 2001:1::1 2001:4:112::1 2620:4f:8000::1
  fe80::1 fe80::1%eth0 febf::1 fec0::1 fc00::1 fd00:ec2::254 fd7a:115c:a1e0::1 ff02::1 ff0e::1`
  .trim()
  .split(/\s+/)

/** Spellings of 127.0.0.1 that get past a comparison of text. */
export const loopbackSpellings = [
  '127.0.0.1',
  'localhost',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '0',
  '127.0.0.1.',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  'user@127.0.0.1',
]

/** Addresses of well-known public services: none may be refused. Nothing is sent to them. */
export const publicAddresses = `
  1.1.1.1 8.8.8.8 93.184.215.14 140.82.112.3 172.64.0.1 192.0.1.1 100.128.0.1
  2606:4700:4700::1111 2a00:1450:4001:81b::200e 2001:4860:4860::8888`
  .trim()
  .split(/\s+/)

/** Never reached, even when a network around them is opened. */
export const neverAddresses = `
  169.254.169.254 169.254.0.1 168.63.129.16 100.100.100.200 192.0.0.192 fe80::1 fe80::1%eth0 febf::1 fd00:ec2::254 fd20:ce::254
  ::ffff:169.254.169.254 ::169.254.169.254 ::ffff:0:169.254.169.254 64:ff9b::a9fe:a9fe 2002:a9fe:a9fe::`
  .trim()
  .split(/\s+/)
