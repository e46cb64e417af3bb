import type { BulkJob } from '../../domain/console/index.js';
import { csvHeaders } from '../../http/index.js';
import { definePage, Download, Redirect, View, type Page } from '../../theme/index.js';
import type { AdminVisit } from '../console-visit.js';

const PATH = '/batches';
/** Seconds after which the browser reloads the page of a running job. */
const AGAIN_S = '2';
const MOST_FAULTS = 50;

/** Bulk jobs of admins: progress, end and the result for each record. */
export function batchPages(): Page[] {
  return [
    definePage({
      ...{ method: 'get', path: PATH, audience: 'admins' },
      handle: async ({ services, actor }) => {
        const jobs = await services.console.jobs.list(actor.id);
        return new View('console/batches', { jobs: jobs.map(progressOf) }, { title: 'console.batches.title' });
      },
    }),
    definePage({ method: 'get', path: `${PATH}/:uuid`, audience: 'admins', handle: showBatch }),
    definePage({
      ...{ method: 'post', path: `${PATH}/:uuid/stop`, audience: 'admins' },
      handle: async ({ services, actor, params }) => {
        const job = await services.console.jobs.stop(params.uuid ?? '', actor.id);
        return new Redirect(`${PATH}/${job.uuid}`);
      },
    }),
    definePage({
      ...{ method: 'get', path: `${PATH}/:uuid/results.csv`, audience: 'admins' },
      handle: async ({ services, actor, params }) => {
        const { jobs } = services.console;
        const job = await jobs.find(params.uuid ?? '', actor.id);
        return new Download(jobs.resultLines(job), csvHeaders(`${job.resource}-${job.action}`));
      },
    }),
  ];
}

async function showBatch({ services, actor, params }: AdminVisit): Promise<View> {
  const { jobs } = services.console;
  const job = await jobs.find(params.uuid ?? '', actor.id);
  const faults = [];
  for await (const rows of jobs.results(job, 'failed')) {
    faults.push(...rows.slice(0, MOST_FAULTS - faults.length));
    if (faults.length >= MOST_FAULTS) break;
  }
  const progress = progressOf(job);
  return new View(
    'console/batch',
    { ...progress, faults },
    { title: 'console.batches.title', headers: progress.isOver ? {} : { Refresh: AGAIN_S } },
  );
}

function progressOf(job: BulkJob) {
  const worked = job.done + job.failed + job.skipped;
  const isOver = !['queued', 'running'].includes(job.state);
  return {
    job,
    isOver,
    worked,
    percent: job.total === 0 ? (isOver ? 100 : 0) : Math.min(100, Math.floor((worked / job.total) * 100)),
  };
}
