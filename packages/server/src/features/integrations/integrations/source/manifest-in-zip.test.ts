import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { ZipFile } from 'yazl'
import { craftZip, type ZipPart } from '../../../../testkit/craft-zip.ts'
import { manifestInZip } from './manifest-in-zip.ts'
import { SourceRefused } from './source-refused.ts'

const yaml = 'specVersion: 1.0.0\n'
const manifest: ZipPart = { name: 'mortise.yaml', content: yaml }

async function refusal(zip: Buffer): Promise<SourceRefused> {
  const { user: before } = process.cpuUsage()
  const error = await manifestInZip(zip).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  // The processor's time: other work on the machine does not count.
  expect((process.cpuUsage().user - before) / 1e6).toBeLessThan(1)
  expect(error).toBeInstanceOf(SourceRefused)
  const refused = error as SourceRefused
  expect(refused.remedy).toBeTruthy()
  expect(refused.message.length).toBeLessThan(600)
  return refused
}

const zipped = async (fill: (zip: ZipFile) => void, end = { forceZip64Format: false, comment: '' }) => {
  const zip = new ZipFile()
  fill(zip)
  zip.end(end)
  return await buffer(zip.outputStream)
}

describe('the manifest is found', () => {
  it.each(['mortise.yaml', 'mortise.yml', 'amp.yaml', 'amp.yml'])('at the root as %s', async (name) => {
    expect(await manifestInZip(await zipped((zip) => zip.addBuffer(Buffer.from(yaml), name)))).toBe(yaml)
  })

  it('in the only top folder, beside what macOS adds and other files at the root', async () => {
    const zip = craftZip([
      { name: 'README.md', content: 'read me' },
      { name: 'project/', mode: 0o40755, method: 0 },
      { name: 'project/amp.yaml', content: yaml },
      { name: '__MACOSX/project/._amp.yaml', content: 'shadow' },
    ])
    expect(await manifestInZip(zip)).toBe(yaml)
  })

  it('at the root before any folder', async () => {
    expect(await manifestInZip(craftZip([manifest, { name: 'old/amp.yaml', content: 'old: true' }]))).toBe(yaml)
  })

  it('where sizes follow the data, stored or deflated, and in zip64', async () => {
    for (const compress of [true, false])
      expect(
        await manifestInZip(
          await zipped((zip) =>
            zip.addReadStreamLazy('amp.yaml', { compress }, (done) => done(null, Readable.from([Buffer.from(yaml)]))),
          ),
        ),
      ).toBe(yaml)
    const zip64 = await zipped((zip) => zip.addBuffer(Buffer.from(yaml), 'amp.yaml', { forceZip64Format: true }), {
      forceZip64Format: true,
      comment: '',
    })
    expect(await manifestInZip(zip64)).toBe(yaml)
  })
})

describe('a zip is refused that', () => {
  it.each([
    ['C0', '\u001b', '\\u{001b}'],
    ['a line feed', '\n', '\\u{000a}'],
    ['DEL', '\u007f', '\\u{007f}'],
    ['C1', '\u009b', '\\u{009b}'],
    ['a right-to-left override', '\u202e', '\\u{202e}'],
    ['a bidirectional isolate', '\u2066', '\\u{2066}'],
    ['a zero-width space', '\u200b', '\\u{200b}'],
    ['a byte order mark', '\ufeff', '\\u{feff}'],
    ['a soft hyphen', '\u00ad', '\\u{00ad}'],
    ['a tag character', '\u{e0041}', '\\u{e0041}'],
    ['a line separator', '\u2028', '\\u{2028}'],
  ])('has %s in a name, which the message shows escaped', async (_, character, shown) => {
    const name = `a${character}b`
    const { rule, message } = await refusal(craftZip([manifest, { name }]))
    expect(rule).toBe('zip-name')
    expect(message).toBe(`The name "a${shown}b" contains control or invisible formatting characters.`)
    // Without the flag for UTF-8, the reader decodes the same bytes as CP437, which has a symbol for each.
    expect((await refusal(craftZip([manifest, { name, flags: 0 }]))).rule).toBe('zip-name')
  })

  it('reaches outside under a name with control characters, which the message shows escaped', async () => {
    const { message } = await refusal(craftZip([manifest, { name: '../\u001b[31m\u202eb' }]))
    expect(message).toContain('../\\u{001b}[31m\\u{202e}b')
  })

  it.each([1_001, 65_000])('announces %d entries, before any of them is read', async (entryCount) => {
    const zip = craftZip([manifest], { entryCount })
    zip.write('no entry', zip.indexOf('PK\x01\x02'))
    const { rule, message } = await refusal(zip)
    expect(rule).toBe('zip-entries')
    expect(message).toBe('The zip has more than 1,000 entries.')
  })

  it('was damaged anywhere: never anything but an answer', async () => {
    const whole = craftZip([manifest, { name: 'b/c.txt', content: 'hello' }])
    for (let at = 0; at < whole.length; at++) {
      const damaged = Buffer.from(whole)
      damaged[at] = damaged[at]! ^ 0xff
      const answer = await manifestInZip(damaged).catch((error: unknown) => error)
      expect(typeof answer === 'string' || answer instanceof SourceRefused, `byte ${at}: ${answer}`).toBe(true)
      if (typeof answer === 'string') expect(answer).toBe(yaml)
    }
  })
})
