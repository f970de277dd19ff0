import { attack } from './s15-proxy.ts'
import { testAttack } from './test-attack.testkit.ts'

testAttack(attack)
