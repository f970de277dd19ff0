import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'

/** The script of the pages, for browsers: without types, comments and indentation. */
export const pageScript = withoutComments(
  stripTypeScriptTypes(readFileSync(join(import.meta.dirname, '../browser/page-script.ts'), 'utf8')),
).replaceAll(/ {2,}/g, ' ')

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

/** The hash by which the policy of the pages allows the script, and no other. */
export const pageScriptIntegrity = `sha256-${hash('sha256', pageScript, 'base64')}`

/** The name has a hash of the content, so that browsers may keep it forever. */
export const pageScriptName = `page-${hash('sha256', pageScript, 'hex').slice(0, 16)}.js`
