import { useState } from 'react'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Card } from '../../parts/page.tsx'
import { readSetting, writeSetting } from '../../session/settings.ts'
import { type Language, languages, type SampleCall, sampleOf } from './samples.ts'

/** The request as code that reads an API key of the project from the environment. */
export function CodeCard({ call }: { call: SampleCall }) {
  const [language, setLanguage] = useState<Language>(() => {
    const chosen = readSetting<string>('explorer-language', 'curl')
    return languages.find((one) => one === chosen) ?? 'curl'
  })
  const text = sampleOf(language, call)
  return (
    <Card
      title="As code"
      actions={
        <>
          <select
            className="plain-select"
            aria-label="Language"
            value={language}
            onChange={(event) => {
              const next = languages.find((one) => one === event.target.value) ?? 'curl'
              setLanguage(next)
              writeSetting('explorer-language', next)
            }}
          >
            {languages.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
          <CopyButton text={text} label="Copy the code" />
        </>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, from the keyboard too */}
      <pre className="code-sample" tabIndex={0}>
        {text}
      </pre>
      <p className="muted small">
        Set <code>MORTISE_API_KEY</code> to an API key of the project.
      </p>
    </Card>
  )
}
