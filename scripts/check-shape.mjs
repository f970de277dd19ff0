import { globSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/**
 * Holds the shape of the code: comments within 120 columns, files within 400 lines, no cast through `unknown`, and no
 * test that accepts one of several statuses. `shape.json` lists the files that exceed a rule, each with its count. A
 * count may only shrink.
 *
 *   node scripts/check-shape.mjs [ROOT]    check a tree; the default is this repository
 *   node scripts/check-shape.mjs --write   write the counts of today into shape.json
 */
const columnsMax = 120

const rules = {
  lines: { max: 400, of: (lines) => lines.length - 1, advice: 'lines; split the file' },
  casts: { max: 0, of: matching(/\bas unknown as\b/), advice: 'casts through unknown; find a type that holds' },
  statuses: {
    max: 0,
    of: matching(/expect\(\[\d{3}(, ?\d{3})+\]\)\.toContain/),
    advice: 'assertions that accept one of several statuses; expect one',
  },
}

const isWriting = process.argv.includes('--write')
const root = path.resolve(process.argv.slice(2).find((word) => !word.startsWith('--')) ?? `${import.meta.dirname}/..`)
const listFile = path.join(root, 'scripts/shape.json')
const listed = JSON.parse(readFileSync(listFile, 'utf8'))
const files = globSync('{packages,examples,e2e,bench,scripts}/**/*.{ts,tsx,mjs}', {
  cwd: root,
  exclude: ['**/node_modules/**', '**/generated/**', '**/dist/**', '**/check-shape.*'],
}).toSorted()
const texts = new Map(files.map((file) => [file, readFileSync(path.join(root, file), 'utf8').split('\n')]))

if (isWriting) {
  const counts = Object.entries(rules).map(([name, rule]) => [name, Object.fromEntries(exceeding(rule))])
  writeFileSync(listFile, `${JSON.stringify(Object.fromEntries(counts), null, 2)}\n`)
} else {
  const findings = [
    ...[...texts].flatMap(([file, lines]) =>
      lines.flatMap((line, index) => commentFault(line, `${file}:${index + 1}`)),
    ),
    ...Object.entries(rules).flatMap(([name, rule]) => ruleFaults(name, rule)),
  ]
  for (const finding of findings) console.error(finding)
  if (findings.length > 0) process.exitCode = 1
}

function commentFault(line, at) {
  const isComment = /^\s*(\/\/|\/\*|\*)/.test(line) && !/biome-ignore|@ts-|https?:/.test(line)
  if (!isComment || line.length <= columnsMax) return []
  return [`${at}: a comment of ${line.length} columns; wrap it at ${columnsMax}`]
}

function ruleFaults(name, rule) {
  const counts = new Map(exceeding(rule))
  const known = listed[name] ?? {}
  return [...new Set([...counts.keys(), ...Object.keys(known)])].flatMap((file) => {
    const count = counts.get(file) ?? 0
    const allowed = known[file] ?? rule.max
    if (count > allowed) return [`${file}: ${count} ${rule.advice} (at most ${allowed})`]
    return file in known && count < allowed
      ? [`${file}: fewer ${name} than scripts/shape.json lists; run node scripts/check-shape.mjs --write`]
      : []
  })
}

function exceeding({ max, of }) {
  return [...texts].map(([file, lines]) => [file, of(lines)]).filter(([, count]) => count > max)
}

function matching(pattern) {
  return (lines) => lines.filter((line) => pattern.test(line)).length
}
