import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/page.tsx'
import { Tag } from '../../parts/status.tsx'
import { duration, Time } from '../../parts/time.tsx'
import { useProjectRef } from '../../session/project.tsx'
import { clearHistory, type Sent, useHistory } from './history.ts'

/** What was sent from this browser. Choosing an entry fills the form; nothing is sent. */
export function HistoryCard({ kind, onChoose }: { kind: Sent['kind']; onChoose: (sent: Sent) => void }) {
  const project = useProjectRef()
  const entries = useHistory(project)
  const shown = entries.filter((entry) => entry.kind === kind)
  return (
    <Card
      title="History"
      actions={
        entries.length > 0 && (
          <Button look="quiet" onClick={() => clearHistory(project)}>
            Clear
          </Button>
        )
      }
    >
      <p className="muted small">The last 50 requests, in this browser only, without secrets.</p>
      {shown.length === 0 && <p className="muted">Nothing sent yet.</p>}
      <ol className="history">
        {shown.map((sent) => (
          <li key={`${sent.at} ${sent.path}`}>
            <button type="button" onClick={() => onChoose(sent)}>
              <span className="row">
                <Tag meaning={sent.status >= 400 || sent.status === 0 ? 'error' : 'ok'}>{sent.status || '–'}</Tag>
                <strong>{sent.method}</strong>
                <span className="grow" />
                <span className="muted small">
                  {duration(sent.ms)} · <Time at={sent.at} />
                </span>
              </span>
              <code className="wrap">{sent.path}</code>
              {sent.groupRef !== undefined && (
                <span className="muted small">
                  {sent.integration} of {sent.groupRef}
                </span>
              )}
            </button>
          </li>
        ))}
      </ol>
    </Card>
  )
}
