import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { languages, type SampleCall, sampleOf } from './samples.ts'

const call: SampleCall = {
  method: 'POST',
  url: "https://mortise.example.com/v1/things?name=it's&b=%24HOME",
  headers: { 'Content-Type': 'application/json', 'X-Odd': `it's "quoted" $HOME` },
  body: `{"text":"it's \\u00e9 \\"quoted\\" $HOME \`id\`"}`,
}

test.each(languages)('%s reads the key from the environment', (language) => {
  expect(sampleOf(language, call)).toContain('MORTISE_API_KEY')
})

test('a shell passes on what the request has, and expands nothing but the key', () => {
  const script = `curl() { for one in "$@"; do printf '%s\\n' "$one"; done; }\n${sampleOf('curl', call)}`
  const { stdout } = spawnSync('sh', ['-c', script], { encoding: 'utf8', env: { MORTISE_API_KEY: 'the-key' } })
  expect(stdout.split('\n')).toEqual([
    ...['-X', 'POST', call.url],
    ...['-H', 'X-Api-Key: the-key'],
    ...['-H', 'Content-Type: application/json'],
    ...['-H', `X-Odd: it's "quoted" $HOME`],
    ...['--data-raw', call.body],
    '',
  ])
})

test('TypeScript calls the typed client for an operation, and fetch for a provider', () => {
  const operation = { id: 'getThing', project: 'default', input: { thingId: 'a', query: { full: true } } }
  const typed = sampleOf('TypeScript', { ...call, operation })
  expect(typed).toContain('project: "default"')
  expect(typed).toContain(`mortise.getThing(${JSON.stringify(operation.input, null, 2)})`)
  const sent: unknown[] = []
  const fetching = sampleOf('TypeScript', call)
    .replaceAll('await ', '')
    .replace(/console\.log\(.*\)/, '')
  new Function('fetch', 'process', fetching)((...given: unknown[]) => sent.push(...given), { env: {} })
  expect(sent).toEqual([call.url, { method: 'POST', headers: { 'X-Api-Key': '', ...call.headers }, body: call.body }])
})

test.skipIf(spawnSync('python3', ['--version']).status !== 0)('Python sends the same', () => {
  const requests =
    'import sys, types, json\nm = types.ModuleType("requests")\nm.request = lambda *a, **k: print(json.dumps([a, k["headers"], k["data"].decode()])) or sys.exit()\nsys.modules["requests"] = m\n'
  const { stdout } = spawnSync('python3', ['-c', requests + sampleOf('Python', call)], {
    encoding: 'utf8',
    env: { MORTISE_API_KEY: 'the-key' },
  })
  expect(JSON.parse(stdout)).toEqual([['POST', call.url], { 'X-Api-Key': 'the-key', ...call.headers }, call.body])
})
