import { createElement, StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { MortiseConnect, MortiseInstall, MortiseIntegrations, MortiseManage } from './index.ts'

/** The page of `react.test.ts`: one component in strict mode, with functions that are new in each rendering. */
const wrappers = { MortiseConnect, MortiseInstall, MortiseIntegrations, MortiseManage }
const query = new URL(location.href).searchParams
window.events = []
window.tokens = 0

function Page() {
  const [isShown, setShown] = useState(true)
  const [renders, setRenders] = useState(1)
  const listen = (name) => (event) => {
    window.events.push([name, Object.keys(event.detail)])
    setRenders((before) => before + 1)
  }
  const getToken = async () => {
    window.tokens += 1
    return `${query.get('story')}:react`
  }
  const props = {
    server: location.origin,
    project: 'p',
    getToken,
    messages: { en: { back: 'Back' } },
    ...JSON.parse(query.get('props') ?? '{}'),
    onConnected: listen('connected'),
    onInstalled: listen('installed'),
    onChanged: listen('changed'),
    onRemoved: listen('removed'),
    onClosed: listen('closed'),
    onError: listen('error'),
  }
  return (
    <main>
      <h1>Integrations</h1>
      <button type="button" onClick={() => setShown(false)}>
        Leave
      </button>
      <p>{`Rendered ${renders > 1 ? 'again' : 'once'}`}</p>
      {isShown && createElement(wrappers[query.get('component')], props)}
    </main>
  )
}

createRoot(document.querySelector('#root')).render(
  <StrictMode>
    <Page />
  </StrictMode>,
)
