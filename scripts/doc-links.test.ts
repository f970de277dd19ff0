import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../', import.meta.url))
const pages = globSync(['*.md', 'docs/**/*.md', 'bench/*.md', 'packages/*/*.md', 'examples/*/*.md'], { cwd: root })

it.each(pages)('every link of %s leads to a file, and to a heading of it', (page) => {
  const text = readFileSync(join(root, page), 'utf8').replace(/^ *```.*?^ *```/gms, '')
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? '')
  const broken = links.filter((target) => !/^(https?|mailto):/.test(target)).filter((target) => !leadsTo(page, target))
  expect(broken).toEqual([])
})

function leadsTo(page: string, target: string): boolean {
  const [path = '', heading] = target.split('#')
  const file = path === '' ? join(root, page) : resolve(root, dirname(page), decodeURI(path))
  if (!existsSync(file)) return false
  return heading === undefined || anchors(readFileSync(file, 'utf8')).includes(heading)
}

/** Anchors of headings, as GitHub makes them. */
function anchors(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    (title ?? '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
