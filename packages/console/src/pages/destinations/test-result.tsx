import type { Output } from '@mortise/client'
import { Button } from '../../parts/button.tsx'
import { Card, Facts } from '../../parts/page.tsx'
import { Status } from '../../parts/status.tsx'
import { duration } from '../../parts/time.tsx'

export type TestAnswer = Output<'testDestination'>

/** What came back from a test message. */
export function TestResult({ test, onClose }: { test: TestAnswer; onClose: () => void }) {
  const { delivered, checkedOnly, status, durationMs, error, response, messageId, destinations } = test
  return (
    <Card
      title={checkedOnly ? 'Check' : 'Test message'}
      actions={
        <Button look="quiet" onClick={onClose}>
          Dismiss
        </Button>
      }
    >
      <div className="stack" role="status">
        <Status state={delivered ? 'delivered' : 'failed'} label={labelOf(test)} />
        <Facts
          facts={[
            [
              'Answer',
              !destinations && !checkedOnly && (status === undefined ? 'None' : <code key="s">{status}</code>),
            ],
            ['Took', duration(durationMs)],
            ['Why', error && <span className="wrap">{error}</span>],
            ['Id', !checkedOnly && <code key="i">{messageId}</code>],
          ]}
        />
        {destinations?.map((one) => (
          <div key={one.destinationName}>
            <Status state={one.delivered ? 'delivered' : 'failed'} label={one.destinationName} />
            {one.error !== undefined && <span className="wrap"> {one.error}</span>}
          </div>
        ))}
        {response !== undefined && response !== '' && <pre className="quoted">{response}</pre>}
      </div>
    </Card>
  )
}

function labelOf({ delivered, checkedOnly }: TestAnswer): string {
  if (checkedOnly) return delivered ? 'It can store messages. Nothing was sent.' : 'It cannot store messages'
  return delivered ? 'It arrived' : 'It did not arrive'
}
