import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'

/** The script of the pages of the documentation, for browsers. */
export interface PageScript {
  /** Without types, comments and indentation. */
  text: string
  /** The hash by which the policy of the pages allows the script, and no other. */
  integrity: string
  /** Has a hash of the content, so that browsers may keep it forever. */
  name: string
}

let script: PageScript | undefined

/** Returns the script. Made for the first page: what strips the types takes 20 MB and a tenth of a second. */
export function pageScript(): PageScript {
  script ??= makeScript()
  return script
}

function makeScript(): PageScript {
  const source = readFileSync(join(import.meta.dirname, '../browser/page-script.ts'), 'utf8')
  const text = withoutComments(stripTypeScriptTypes(source)).replaceAll(/ {2,}/g, ' ')
  return {
    text,
    integrity: `sha256-${hash('sha256', text, 'base64')}`,
    name: `page-${hash('sha256', text, 'hex').slice(0, 16)}.js`,
  }
}

/** Leaves out lines that are empty or of a comment. */
function withoutComments(source: string): string {
  let inComment = false
  const isCode = (line: string) => {
    if (line.startsWith('/**')) inComment = true
    const kept = !inComment && !line.startsWith('//') && line !== ''
    if (line.endsWith('*/')) inComment = false
    return kept
  }
  const lines = source.split('\n').map((line) => line.trim())
  return `${lines.filter(isCode).join('\n')}\n`
}
