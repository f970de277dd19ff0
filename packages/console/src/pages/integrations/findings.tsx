import type { Output } from '@mortise/client'
import type { Finding as EditorFinding } from '../../parts/code-editor.tsx'
import { counted } from '../../parts/numbers.ts'
import { Skeleton } from '../../parts/states.tsx'
import { Status } from '../../parts/status.tsx'

export type Finding = Output<'validateManifest'>['findings'][number]

/** The findings as marks beside the lines of an editor. */
export function marksOf(findings: readonly Finding[]): EditorFinding[] {
  return findings.map(({ line, level, message, suggestion }) => ({
    line: Math.max(1, line),
    message: [message, suggestion].filter(Boolean).join(' '),
    severity: level === 'error' ? 'error' : 'warning',
  }))
}

/** What validation says: errors stop a deploy, advice does not. */
export function Findings({ findings }: { findings: readonly Finding[] | undefined }) {
  if (findings === undefined) return <Skeleton lines={2} />
  if (findings.length === 0) return <Status state="valid" label="Valid, no findings" />
  const errors = findings.filter(({ level }) => level === 'error').length
  const advice = findings.length - errors
  return (
    <div className="stack findings">
      <p className="muted small">
        {errors > 0 && counted(errors, 'error')}
        {errors > 0 && advice > 0 && ', '}
        {advice > 0 && counted(advice, 'piece of advice', 'pieces of advice')}
      </p>
      <ol>
        {findings.map(({ level, line, path, rule, message, suggestion }) => (
          <li key={`${path} ${rule} ${message}`}>
            <span className="row" title={path}>
              <Status
                state={level === 'error' ? 'error' : 'warning'}
                label={`${level === 'error' ? 'Error' : 'Advice'}${line > 0 ? `, line ${line}` : ''}`}
              />
              {line === 0 && <code className="muted wrap">{path}</code>}
            </span>
            <p className="wrap">{[message, suggestion].filter(Boolean).join(' ')}</p>
          </li>
        ))}
      </ol>
    </div>
  )
}
