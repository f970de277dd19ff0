import { Id } from '../../parts/copy-button.tsx'
import { Facts } from '../../parts/page.tsx'
import { Time } from '../../parts/time.tsx'
import { type Destination, kindOf, kinds } from './destination-kinds.ts'
import { textsOf } from './field-values.ts'

/** The settings as the service shows them: parts of them are masked, and secrets are not there. */
export function DestinationSettings({ destination }: { destination: Destination }) {
  const { type, metadata, createTime, updateTime, id } = destination
  const fields = (kinds[type]?.fields ?? []).filter(({ isSecret }) => !isSecret)
  const texts = textsOf(fields, metadata)
  return (
    <Facts
      facts={[
        ['Kind', kindOf(type)],
        ...fields
          .filter(({ input }) => input !== 'headers')
          .map(({ name, label }): [string, React.ReactNode] => [
            label,
            texts[name] && (
              <code key={name} className="wrap">
                {texts[name]}
              </code>
            ),
          ]),
        ...Object.entries(metadata.headers ?? {}).map(([name, value]): [string, React.ReactNode] => [
          name,
          <code key={name} className="wrap">
            {value}
          </code>,
        ]),
        ['Created', <Time key="c" at={createTime} />],
        ['Changed', updateTime && <Time key="h" at={updateTime} />],
        ['Id', <Id key="i" id={id} />],
      ]}
    />
  )
}
