import { crc32, deflateRawSync } from 'node:zlib'

/** One entry of a hand-made zip; everything that an honest writer would derive can be told otherwise. */
export interface ZipPart {
  name: string | Buffer
  content?: string | Buffer
  /** Name in the local header where it differs. */
  localName?: string
  /** Size that the headers tell. */
  size?: number
  crc?: number
  flags?: number
  method?: number
  /** `st_mode` of a Unix archive. */
  mode?: number
  /** Bytes between header and header, in place of the compressed content. */
  raw?: Buffer
  /** Where the local header stands, in bytes already written by another entry. */
  at?: number
}

/** Writes a zip exactly as told (APPNOTE.TXT 6.3.10, 4.3), honest where nothing is told. */
export function craftZip(parts: ZipPart[], options: { entryCount?: number } = {}): Buffer {
  const locals: Buffer[] = []
  const centrals: Buffer[] = []
  let offset = 0
  for (const part of parts) {
    const content = Buffer.from(part.content ?? '')
    const method = part.method ?? 8
    const data = part.raw ?? (method === 8 ? deflateRawSync(content) : content)
    const name = Buffer.from(part.name)
    const localName = Buffer.from(part.localName ?? name)
    const fields = Buffer.alloc(22)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(part.flags ?? 0x0800, 2)
    fields.writeUInt16LE(method, 4)
    fields.writeUInt32LE(part.crc ?? crc32(content), 10)
    fields.writeUInt32LE(data.length, 14)
    fields.writeUInt32LE(part.size ?? content.length, 18)
    const local = Buffer.concat([
      Buffer.from('PK\x03\x04', 'latin1'),
      fields,
      u16(localName.length),
      u16(0),
      localName,
      data,
    ])
    const at = part.at ?? offset
    if (part.at === undefined) {
      locals.push(local)
      offset += local.length
    }
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(((part.mode ?? 0o100644) << 16) >>> 0, 6)
    tail.writeUInt32LE(at, 10)
    centrals.push(
      Buffer.concat([
        Buffer.from('PK\x01\x02', 'latin1'),
        u16((3 << 8) | 20),
        fields,
        u16(name.length),
        u16(0),
        tail,
        name,
      ]),
    )
  }
  const central = Buffer.concat(centrals)
  const end = Buffer.alloc(18)
  const count = options.entryCount ?? parts.length
  end.writeUInt16LE(count, 4)
  end.writeUInt16LE(count, 6)
  end.writeUInt32LE(central.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...locals, central, Buffer.from('PK\x05\x06', 'latin1'), end])
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}
