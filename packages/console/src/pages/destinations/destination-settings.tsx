import { Id } from '../../parts/copy-button.tsx'
import { count } from '../../parts/numbers.ts'
import { Facts } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { type Destination, kindOf } from './destination-kinds.ts'

/** The settings as the service shows them: secrets are masked. */
export function DestinationSettings({ destination }: { destination: Destination }) {
  const { url, headers, stream, maxLength } = destination.metadata
  return (
    <Facts
      facts={[
        ['Kind', kindOf(destination.type)],
        [
          destination.type === 'webhook' ? 'URL' : 'Server',
          <code key="u" className="wrap">
            {url}
          </code>,
        ],
        ['Stream', stream && <code key="s">{stream}</code>],
        ['Keeps', maxLength === undefined ? undefined : `about ${count(maxLength)} entries`],
        ...Object.entries(headers ?? {}).map(([name, value]): [string, React.ReactNode] => [
          name,
          <code key={name} className="wrap">
            {value}
          </code>,
        ]),
        ['Created', <Time key="c" at={destination.createTime} />],
        ['Changed', destination.updateTime && <Time key="h" at={destination.updateTime} />],
        ['Id', <Id key="i" id={destination.id} />],
      ]}
    />
  )
}
