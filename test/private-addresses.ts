// More than 200 ways to write an address that is not public, each as the host of a URL; what a browser
// or a resolver makes of them is the same few addresses.

const PRIVATE_IPV4 = [
  "127.0.0.1",
  "127.255.255.254",
  "0.0.0.0",
  "10.0.0.1",
  "100.64.0.1",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.192",
  "192.0.2.1",
  "192.88.99.1",
  "192.168.1.1",
  "198.18.0.1",
  "198.51.100.7",
  "203.0.113.9",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
];

const FULL_WIDTH_ZERO = 0xff10;
const IDEOGRAPHIC_STOP = "\u3002";

/** Ways in which a URL may write one IPv4 address. */
function ipv4Forms(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const hex = (value: number): string => `0x${value.toString(16)}`;
  const octal = (value: number): string => `0${value.toString(8)}`;
  const wide = address.replace(/\d/g, (digit) =>
    String.fromCodePoint(FULL_WIDTH_ZERO + Number(digit)),
  );
  return [
    address,
    `${address}.`,
    String(whole),
    hex(whole),
    hex(whole).toUpperCase().replace("0X", "0X"),
    octal(whole),
    [a, b, c, d].map(hex).join("."),
    [a, b, c, d].map(octal).join("."),
    [hex(a), octal(b), c, d].join("."),
    [a, (b * 256 + c) * 256 + d].join("."),
    [a, b, c * 256 + d].join("."),
    [hex(a), b, hex(c * 256 + d)].join("."),
    wide,
    address.replaceAll(".", IDEOGRAPHIC_STOP),
    address.replace(/\d/g, (digit) => `%3${digit}`),
  ];
}

/** IPv6 addresses that carry an IPv4 address in them. */
function ipv6Forms(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
  const high = (a * 256 + b).toString(16);
  const low = (c * 256 + d).toString(16);
  return [
    `::ffff:${address}`,
    `::ffff:${high}:${low}`,
    `0:0:0:0:0:ffff:${high}:${low}`,
    `::${address}`,
    `::ffff:0:${address}`,
    `64:ff9b::${address}`,
    `64:ff9b:1::${high}:${low}`,
    `2002:${high}:${low}::1`,
    `2001:0:${high}:${low}::1`,
  ];
}

const PRIVATE_IPV6 = [
  "::",
  "::1",
  "0:0:0:0:0:0:0:1",
  "0000:0000:0000:0000:0000:0000:0000:0001",
  "::0:1",
  "100::1",
  "100:0:0:1::1",
  "2001:2::1",
  "2001:10::1",
  "2001:20::1",
  "2001:db8::1",
  "3fff::1",
  "3ffe::1",
  "5f00::1",
  "fc00::1",
  "fd00:ec2::254",
  "fdff:ffff::1",
  "fe80::1",
  "febf::1",
  "fec0::1",
  "ff02::1",
  "ff0e::1",
];

/** Addresses without their URL, as a name server may answer. */
export const PRIVATE_ADDRESSES: readonly string[] = [
  ...PRIVATE_IPV4,
  ...PRIVATE_IPV6,
  ...PRIVATE_IPV4.flatMap(ipv6Forms),
];

export const PRIVATE_HOSTS: readonly string[] = [
  ...PRIVATE_IPV4.flatMap(ipv4Forms),
  ...[...PRIVATE_IPV6, ...PRIVATE_IPV4.flatMap(ipv6Forms)].map((address) => `[${address}]`),
  "0",
  "127.1",
  "127.0.1",
  "0x7f.1",
  "017700000001",
  "00000177.0.0.1",
  "0x7f000001.",
  "localhost",
  "LOCALHOST",
  "localhost.",
  "a.localhost",
  "\u24db\u24de\u24d2\u24d0lhost",
];
