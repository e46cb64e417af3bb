import { randomUUID } from 'node:crypto';
import type { Approver, CountedCalls, OwnedApp, OwnedReset, QuotaResets } from '../apps/index.js';
import type { RedisConnection } from '../../cache/index.js';
import type { Clock, EventBus, Logger, NetworkPrefixes, ProcessMetrics } from '../../core/index.js';
import type { Database, Transaction } from '../../database/index.js';
import { QuotaAlerts } from './limits/quota-alerts.js';
import { UnusualCalls } from './limits/unusual-calls.js';
import { AnswerReader } from './answers/answer-reader.js';
import { CallersReader } from './answers/callers-reader.js';
import { EndingCalls } from './answers/ending-calls.js';
import { LogImport } from './answers/log-import.js';
import { ReportIntake } from './answers/report-intake.js';
import { ReportWriter } from './answers/report-writer.js';
import type { GatewayDriver } from '../../gateway/index.js';
import type { UsageConfig } from './config.js';
import { CallLimiter } from './limits/call-limiter.js';
import { KeylessCalls } from './limits/keyless-calls.js';
import { FirstCallFunnel } from './first-call-funnel.js';
import { GatewayTraffic } from './gateway-traffic.js';
import { MoversReader } from './movers-reader.js';
import { PlanUsage } from './plan-usage.js';
import { QuotaReader } from './quota-reader.js';
import { RefusalReader } from './refusal-reader.js';
import { UsageCounter } from './usage-counter.js';
import { UsageEraser } from './usage-eraser.js';
import { UsagePruner } from './usage-pruner.js';
import { UsageReader } from './usage-reader.js';
import { UsageRollUp } from './usage-roll-up.js';
import { UsageWriter } from './usage-writer.js';

/** The services of this domain. */
export interface UsageServices {
  readonly reader: UsageReader;
  /** By plan and month, for billers. */
  readonly plans: PlanUsage;
  readonly refusals: RefusalReader;
  readonly answers: AnswerReader;
  /** Takes reports of proxies; null unless calls are counted. */
  readonly intake: ReportIntake | null;
  /** Reads what the gateway has counted itself, where it does; a background job runs it. */
  readonly traffic: GatewayTraffic;
  /** Imports access logs of proxies. */
  readonly logs: LogImport;
  readonly quotas: QuotaReader;
  readonly funnel: FirstCallFunnel;
  readonly movers: MoversReader;
  /** Whom a change hits. */
  readonly callers: CallersReader;
  /** Counts the callers of what will be switched off; null unless calls are counted. */
  readonly ending: EndingCalls | null;
  /** null unless calls are counted. */
  readonly counter: UsageCounter | null;
  /** Holds calls against their plans. */
  readonly limiter: CallLimiter;
  /** Lets calls without a key pass where a product needs none. */
  readonly keyless: KeylessCalls;
  /**
   * Lets the quotas that an app has of a product start anew, on every replica with the answer.
   * @param input `product` slug or id. @throws as {@link QuotaResets.start}, and DatabaseUnavailableError
   */
  resetQuotas(
    owned: OwnedApp,
    input: { readonly product: string; readonly reason: string },
    by: Approver,
  ): Promise<OwnedReset>;
  /** Tells developers of quotas that run out and of unusual calls; a background job runs it. */
  alert(stopping: AbortSignal): Promise<void>;
  /** Sums up, prunes and erases; a background job runs it. */
  maintain(stopping: AbortSignal): Promise<void>;
}

interface UsageServicesParts {
  readonly database: Database;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  /** Whether `clock` is the machine's. */
  readonly isMachineClock: boolean;
  /** Where replicas count together what plans limit; null: each for itself. */
  readonly redis: RedisConnection | null;
  readonly logger: Logger;
  readonly processMetrics: ProcessMetrics;
  readonly settings: UsageConfig;
  readonly quotaResets: Pick<QuotaResets, 'start'>;
  /** How much of an address tells callers without a key apart. */
  readonly prefixes: NetworkPrefixes;
  readonly gateway: () => Promise<GatewayDriver>;
  /** `gateway.driver` */
  readonly driver: string;
}

/** Builds the domain's services and subscribes them to deletions of apps. */
export function createUsageServices(parts: UsageServicesParts): UsageServices {
  const eraser = new UsageEraser(parts);
  eraser.listen(parts.events);
  const steps = [new UsageRollUp(parts), new UsagePruner(parts), eraser];
  const writer = new UsageWriter({ ...parts, replica: randomUUID() });
  const reports = new ReportWriter(parts);
  const { enabled, flush, source } = parts.settings;
  const quotas = new QuotaReader(parts);
  const quotaAlerts = new QuotaAlerts({ ...parts, quotas });
  quotaAlerts.listen();
  const alerting = [quotaAlerts, new UnusualCalls(parts)];
  const counter = enabled ? new UsageCounter({ ...parts, writer, source }) : null;
  // Reports come late and tell of other calls than those that are decided about.
  const limiter = new CallLimiter({ ...parts, progress: source === 'verify' ? counter : null, flush });
  const counted: CountedCalls = async (owner) => {
    await counter?.flush();
    return limiter.readCounted(owner);
  };
  return {
    reader: new UsageReader(parts),
    plans: new PlanUsage(parts),
    refusals: new RefusalReader(parts),
    answers: new AnswerReader(parts),
    traffic: new GatewayTraffic(parts),
    logs: new LogImport({ ...parts, writer: reports }),
    intake: enabled ? new ReportIntake({ ...parts, writer: reports }) : null,
    callers: new CallersReader(parts),
    ending: enabled ? new EndingCalls(parts) : null,
    counter,
    limiter,
    keyless: new KeylessCalls({ ...parts, onFallback: (error) => limiter.tellAlone(error) }),
    resetQuotas: (owned, input, by) => parts.quotaResets.start(owned, input, counted, by),
    quotas,
    funnel: new FirstCallFunnel(parts),
    movers: new MoversReader(parts),
    async alert(stopping) {
      for (const alerts of alerting) await alerts.run(stopping);
    },
    async maintain(stopping) {
      for (const step of steps) await step.run(stopping);
    },
  };
}
