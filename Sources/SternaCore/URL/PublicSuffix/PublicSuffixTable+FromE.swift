// Made by scripts/public-suffixes of the Public Suffix List, version 2026-10-22_08-36-41_UTC
// (publicsuffixlist 1.1.2.20261023 of PyPI).
// This file is subject to the terms of the Mozilla Public License, v. 2.0. If a copy of the MPL was not distributed
// with this file, You can obtain one at https://mozilla.org/MPL/2.0/.

extension PublicSuffixTable {
    /// 2694 rules, in the form that scripts/public-suffixes describes.
    static let fromE: StaticString = """
        e.bg e.id e.se e12.ve e164.arpa e2b.app e4.cz earth east-kazakhstan.su eastasia-01.azurewebsites.net
        eastasia.azurestaticapps.net eastasiastage-01.azurewebsites.net eastus-01.azurewebsites.net
        eastus2-01.azurewebsites.net eastus2.azurestaticapps.net eastus2euap-01.azurewebsites.net
        eastus3-01.azurewebsites.net easypanel.app easypanel.host eat eating-organic.net eaton.mi.us ebetsu.hokkaido.jp
        ebina.kanagawa.jp ebino.miyazaki.jp ebiz.tw ec ec.cc echizen.fukui.jp ecn.br eco eco.bj eco.br ecologia.bo
        ecommerce-shop.pl econo.bj economia.bo ed.ao ed.ci ed.cr ed.jp edeka edgecompute.app edgekey-staging.net
        edgekey.net edgestack.me edgesuite-staging.net edgesuite.net editorx.io edogawa.tokyo.jp edu edu.ac edu.af
        edu.al edu.ao edu.ar edu.au edu.az edu.ba edu.bb edu.bd edu.bh edu.bi edu.bj edu.bm edu.bn edu.bo edu.br edu.bs
        edu.bt edu.bz edu.ci edu.cn edu.co edu.cu edu.cv edu.cw edu.dm edu.do edu.dz edu.ec edu.ee edu.eg edu.es edu.et
        edu.eu.org edu.fj edu.fm edu.gd edu.ge edu.gh edu.gi edu.gl edu.gn edu.gp edu.gr edu.gt edu.gu edu.gy edu.hk
        edu.hn edu.ht edu.in edu.io edu.iq edu.it edu.jo edu.kg edu.kh edu.ki edu.km edu.kn edu.kp edu.krd edu.kw edu.ky
        edu.kz edu.la edu.lb edu.lc edu.lk edu.lr edu.ls edu.lv edu.ly edu.me edu.mg edu.mk edu.ml edu.mn edu.mo edu.ms
        edu.mt edu.mv edu.mw edu.mx edu.my edu.mz edu.ng edu.ni edu.nr edu.om edu.pa edu.pe edu.pf edu.ph edu.pk edu.pl
        edu.pn edu.pr edu.ps edu.pt edu.py edu.qa edu.rs edu.ru edu.sa edu.sb edu.sc edu.sd edu.sg edu.sl edu.sn edu.so
        edu.ss edu.st edu.sv edu.sy edu.tj edu.tm edu.to edu.tr edu.tt edu.tw edu.ua edu.ug edu.uy edu.vc edu.ve edu.vg
        edu.vn edu.vu edu.ws edu.ye edu.za edu.zm education educator.aero edugit.io ee ee.eu.org eek.jp
        eero-stage.online eero.online eg egersund.no egoism.jp ehime.jp eid.no eidfjord.no eidsberg.no eidskog.no
        eidsvoll.no eigersund.no eiheiji.fukui.jp ekloges.cy elastic.k2.cloud elasticbeanstalk.com elb.amazonaws.com*
        elb.amazonaws.com.cn* elblag.pl elementor.cloud elementor.cool eliv-api.kr eliv-cdn.kr eliv-dns.kr elk.pl
        elverum.no email emb.kw embaixada.st embetsu.hokkaido.jp emerck emergency.aero emergent.cloud emergent.host
        emilia-romagna.it emiliaromagna.it emp.br emprende.ve empresa.bo emr.it emrappui-prod.af-south-1.amazonaws.com
        emrappui-prod.ap-east-1.amazonaws.com emrappui-prod.ap-northeast-1.amazonaws.com
        emrappui-prod.ap-northeast-2.amazonaws.com emrappui-prod.ap-northeast-3.amazonaws.com
        emrappui-prod.ap-south-1.amazonaws.com emrappui-prod.ap-south-2.amazonaws.com
        emrappui-prod.ap-southeast-1.amazonaws.com emrappui-prod.ap-southeast-2.amazonaws.com
        emrappui-prod.ap-southeast-3.amazonaws.com emrappui-prod.ap-southeast-4.amazonaws.com
        emrappui-prod.ca-central-1.amazonaws.com emrappui-prod.ca-west-1.amazonaws.com
        emrappui-prod.cn-north-1.amazonaws.com.cn emrappui-prod.cn-northwest-1.amazonaws.com.cn
        emrappui-prod.eu-central-1.amazonaws.com emrappui-prod.eu-central-2.amazonaws.com
        emrappui-prod.eu-north-1.amazonaws.com emrappui-prod.eu-south-1.amazonaws.com
        emrappui-prod.eu-south-2.amazonaws.com emrappui-prod.eu-west-1.amazonaws.com
        emrappui-prod.eu-west-2.amazonaws.com emrappui-prod.eu-west-3.amazonaws.com
        emrappui-prod.il-central-1.amazonaws.com emrappui-prod.me-central-1.amazonaws.com
        emrappui-prod.me-south-1.amazonaws.com emrappui-prod.sa-east-1.amazonaws.com
        emrappui-prod.us-east-1.amazonaws.com emrappui-prod.us-east-2.amazonaws.com
        emrappui-prod.us-gov-east-1.amazonaws.com emrappui-prod.us-gov-west-1.amazonaws.com
        emrappui-prod.us-west-1.amazonaws.com emrappui-prod.us-west-2.amazonaws.com
        emrnotebooks-prod.af-south-1.amazonaws.com emrnotebooks-prod.ap-east-1.amazonaws.com
        emrnotebooks-prod.ap-northeast-1.amazonaws.com emrnotebooks-prod.ap-northeast-2.amazonaws.com
        emrnotebooks-prod.ap-northeast-3.amazonaws.com emrnotebooks-prod.ap-south-1.amazonaws.com
        emrnotebooks-prod.ap-south-2.amazonaws.com emrnotebooks-prod.ap-southeast-1.amazonaws.com
        emrnotebooks-prod.ap-southeast-2.amazonaws.com emrnotebooks-prod.ap-southeast-3.amazonaws.com
        emrnotebooks-prod.ap-southeast-4.amazonaws.com emrnotebooks-prod.ca-central-1.amazonaws.com
        emrnotebooks-prod.ca-west-1.amazonaws.com emrnotebooks-prod.cn-north-1.amazonaws.com.cn
        emrnotebooks-prod.cn-northwest-1.amazonaws.com.cn emrnotebooks-prod.eu-central-1.amazonaws.com
        emrnotebooks-prod.eu-central-2.amazonaws.com emrnotebooks-prod.eu-north-1.amazonaws.com
        emrnotebooks-prod.eu-south-1.amazonaws.com emrnotebooks-prod.eu-south-2.amazonaws.com
        emrnotebooks-prod.eu-west-1.amazonaws.com emrnotebooks-prod.eu-west-2.amazonaws.com
        emrnotebooks-prod.eu-west-3.amazonaws.com emrnotebooks-prod.il-central-1.amazonaws.com
        emrnotebooks-prod.me-central-1.amazonaws.com emrnotebooks-prod.me-south-1.amazonaws.com
        emrnotebooks-prod.sa-east-1.amazonaws.com emrnotebooks-prod.us-east-1.amazonaws.com
        emrnotebooks-prod.us-east-2.amazonaws.com emrnotebooks-prod.us-gov-east-1.amazonaws.com
        emrnotebooks-prod.us-gov-west-1.amazonaws.com emrnotebooks-prod.us-west-1.amazonaws.com
        emrnotebooks-prod.us-west-2.amazonaws.com emrstudio-prod.af-south-1.amazonaws.com
        emrstudio-prod.ap-east-1.amazonaws.com emrstudio-prod.ap-northeast-1.amazonaws.com
        emrstudio-prod.ap-northeast-2.amazonaws.com emrstudio-prod.ap-northeast-3.amazonaws.com
        emrstudio-prod.ap-south-1.amazonaws.com emrstudio-prod.ap-south-2.amazonaws.com
        emrstudio-prod.ap-southeast-1.amazonaws.com emrstudio-prod.ap-southeast-2.amazonaws.com
        emrstudio-prod.ap-southeast-3.amazonaws.com emrstudio-prod.ap-southeast-4.amazonaws.com
        emrstudio-prod.ca-central-1.amazonaws.com emrstudio-prod.ca-west-1.amazonaws.com
        emrstudio-prod.cn-north-1.amazonaws.com.cn emrstudio-prod.cn-northwest-1.amazonaws.com.cn
        emrstudio-prod.eu-central-1.amazonaws.com emrstudio-prod.eu-central-2.amazonaws.com
        emrstudio-prod.eu-north-1.amazonaws.com emrstudio-prod.eu-south-1.amazonaws.com
        emrstudio-prod.eu-south-2.amazonaws.com emrstudio-prod.eu-west-1.amazonaws.com
        emrstudio-prod.eu-west-2.amazonaws.com emrstudio-prod.eu-west-3.amazonaws.com
        emrstudio-prod.il-central-1.amazonaws.com emrstudio-prod.me-central-1.amazonaws.com
        emrstudio-prod.me-south-1.amazonaws.com emrstudio-prod.sa-east-1.amazonaws.com
        emrstudio-prod.us-east-1.amazonaws.com emrstudio-prod.us-east-2.amazonaws.com
        emrstudio-prod.us-gov-east-1.amazonaws.com emrstudio-prod.us-gov-west-1.amazonaws.com
        emrstudio-prod.us-west-1.amazonaws.com emrstudio-prod.us-west-2.amazonaws.com en.it ena.gifu.jp encoreapi.com
        encr.app endofinternet.net endofinternet.org endoftheinternet.org enebakk.no energy enf.br eng.br eng.ec eng.jo
        eng.pro engerdal.no engine.aero engineer engineer.aero engineering eniwa.hokkaido.jp enna.it ens.tn enscaled.sg
        ent.platform.sh enterprisecloud.nu enterprises entertainment.aero epson equipment equipment.aero er* er.in
        ericsson erimo.hokkaido.jp erni erotica.hu erotika.hu erp.dev es es-1.axarnet.cloud es.eu.org es.gov.br es.kr
        es.leg.br esan.hokkaido.jp esashi.hokkaido.jp esm.ec esp.br esq est-a-la-maison.com est-a-la-masion.com
        est-le-patron.com est-mon-blogueur.com est.pr estate et etajima.hiroshima.jp etc.br eth.limo* eth.link* eti.br
        etne.no etnedal.no eu eu-1.evennode.com eu-2.evennode.com eu-3.evennode.com eu-4.evennode.com
        eu-central-1.airflow.amazonaws.com* eu-central-1.cs.amazonlightsail.com* eu-central-1.elasticbeanstalk.com
        eu-central-1.r.cloud.int.apple* eu-central-1.rds.amazonaws.com* eu-central-2.airflow.amazonaws.com*
        eu-central-2.elasticbeanstalk.com eu-central-2.rds.amazonaws.com* eu-north-1.airflow.amazonaws.com*
        eu-north-1.cs.amazonlightsail.com* eu-north-1.elasticbeanstalk.com eu-north-1.r.cloud.int.apple*
        eu-south-1.airflow.amazonaws.com* eu-south-1.elasticbeanstalk.com eu-south-2.airflow.amazonaws.com*
        eu-south-2.cs.amazonlightsail.com* eu-south-2.elasticbeanstalk.com eu-west-1.airflow.amazonaws.com*
        eu-west-1.convex.cloud eu-west-1.convex.site eu-west-1.cs.amazonlightsail.com* eu-west-1.elasticbeanstalk.com
        eu-west-1.rds.amazonaws.com* eu-west-2.airflow.amazonaws.com* eu-west-2.cs.amazonlightsail.com*
        eu-west-2.elasticbeanstalk.com eu-west-2.rds.amazonaws.com* eu-west-3.airflow.amazonaws.com*
        eu-west-3.cs.amazonlightsail.com* eu-west-3.elasticbeanstalk.com eu-west-3.rds.amazonaws.com* eu.cc eu.com
        eu.encoway.cloud eu.int eu.meteorapp.com eu.ngrok.io eu.org eu.platform.sh eu.pythonanywhere.com eu1-plenit.com
        eun.eg eurodir.ru eurovision eus evenassi.no evenes.no events evje-og-hornnes.no ewp.live* ex.futurecms.at*
        ex.ortsinfo.at* exchange exchange.aero exe.xyz execute-api.af-south-1.amazonaws.com
        execute-api.ap-east-1.amazonaws.com execute-api.ap-northeast-1.amazonaws.com
        execute-api.ap-northeast-2.amazonaws.com execute-api.ap-northeast-3.amazonaws.com
        execute-api.ap-south-1.amazonaws.com execute-api.ap-south-2.amazonaws.com
        execute-api.ap-southeast-1.amazonaws.com execute-api.ap-southeast-2.amazonaws.com
        execute-api.ap-southeast-3.amazonaws.com execute-api.ap-southeast-4.amazonaws.com
        execute-api.ap-southeast-5.amazonaws.com execute-api.ca-central-1.amazonaws.com
        execute-api.ca-west-1.amazonaws.com execute-api.cn-north-1.amazonaws.com.cn
        execute-api.cn-northwest-1.amazonaws.com.cn execute-api.eu-central-1.amazonaws.com
        execute-api.eu-central-2.amazonaws.com execute-api.eu-north-1.amazonaws.com execute-api.eu-south-1.amazonaws.com
        execute-api.eu-south-2.amazonaws.com execute-api.eu-west-1.amazonaws.com execute-api.eu-west-2.amazonaws.com
        execute-api.eu-west-3.amazonaws.com execute-api.il-central-1.amazonaws.com
        execute-api.me-central-1.amazonaws.com execute-api.me-south-1.amazonaws.com execute-api.sa-east-1.amazonaws.com
        execute-api.us-east-1.amazonaws.com execute-api.us-east-2.amazonaws.com execute-api.us-gov-east-1.amazonaws.com
        execute-api.us-gov-west-1.amazonaws.com execute-api.us-west-1.amazonaws.com execute-api.us-west-2.amazonaws.com
        exnet.su experiments.sagemaker.aws* expert experts-comptables.fr expo.app exposed express express.aero
        extraspace ezproxy.kuleuven.be f.bg f.se f5.si fage fail fairwinds faith fakefur.jp fam.pk family familyds.com
        familyds.net familyds.org fan fans fantasyleague.cc far.br farm farmers farsund.no fashion fashionstore.jp fast
        fastly-edge.com fastly-terrarium.com fastlylb.net fastvps-server.com fastvps.host fastvps.site fauske.no
        fbx-os.fr fbxos.fr fc.it fe.it federation.aero fedex fedje.no fedorainfracloud.org fedorapeople.org feedback
        feedback.ac feira.br fem.jp fentiger.mythic-beasts.com fermo.it ferrara.it ferrari ferrero feste-ip.net fet.no
        fetsund.no fg.it fh-muenster.io fh.se fhs.no fhsk.se fhv.se fi fi.cloudplatform.fi fi.cr fi.eu.org fi.it
        fidelity fido fie.ee figma-gov.site figma.site file.core.usgovcloudapi.net file.core.windows.net filegear-sg.me
        filegear.me film film.hu fin.ec fin.in fin.tn final finance financial finnoy.no fire firebaseapp.com firenet.ch*
        firenze.it firestone firewall-gateway.com firewall-gateway.de firewall-gateway.net firewalledreplit.co firm.dk
        firm.ht firm.in firm.nf firm.ng firm.ro firm.ve firmdale fish fishing fit fitjar.no fitness fj fj.cn fjaler.no
        fjell.no fk* fl.us fla.no flakstad.no flatanger.no fldrv.com flekkefjord.no flesberg.no flickr flier.jp
        flight.aero flights flir flog.br flop.jp floppy.jp flora.no florence.it floripa.br florist floro.no flowers
        flt.cloud.muni.cz flutterflow.app fly fly.dev fm fm.br fm.it fm.jo fm.no fnc.fr-par.scw.cloud fnd.br fo
        foggia.it folkebibl.no folldal.no foo food fool.jp football for-better.biz for-more.biz for-our.info
        for-some.biz for-the.biz ford forde.no forex forgeblocks.com forgot.her.name forgot.his.name forks.wa.us
        forli-cesena.it forlicesena.it forms.ac forsale forsand.no fortal.br forum forum.hu forumz.info fosnes.no fot.br
        fot.ec foundation fox foz.br fr fr-1.paas.massivegrid.net fr-par-1.baremetal.scw.cloud
        fr-par-2.baremetal.scw.cloud fr.eu.org fr.it fra1-de.cloudjiffy.net frame.claudeusercontent.com framer.ai
        framer.app framer.media framer.photos framer.website framer.wiki framercanvas.com frana.no
        francecentral-01.azurewebsites.net francesouth-01.azurewebsites.net fredrikstad.no free freebox-os.com
        freebox-os.fr freeboxos.com freeboxos.fr freeddns.org freeddns.us freedesktop.org freemyip.com freesite.host
        freetls.fastly.net freight.aero frenchkiss.jp fresenius friuli-v-giulia.it friuli-ve-giulia.it
        friuli-vegiulia.it friuli-venezia-giulia.it friuli-veneziagiulia.it friuli-vgiulia.it friuliv-giulia.it
        friulive-giulia.it friulivegiulia.it friulivenezia-giulia.it friuliveneziagiulia.it friulivgiulia.it frl frogans
        frogn.no froland.no from-ak.com from-al.com from-ar.com from-az.net from-ca.com from-co.net from-ct.com
        from-dc.com from-de.com from-fl.com from-ga.com from-hi.com from-ia.com from-id.com from-il.com from-in.com
        from-ks.com from-ky.com from-la.net from-ma.com from-md.com from-me.org from-mi.com from-mn.com from-mo.com
        from-ms.com from-mt.com from-nc.com from-nd.com from-ne.com from-nh.com from-nj.com from-nm.com from-nv.com
        from-ny.net from-oh.com from-ok.com from-or.com from-pa.com from-pr.com from-ri.com from-sc.com from-sd.com
        from-tn.com from-tx.com from-ut.com from-va.com from-vt.com from-wa.com from-wi.com from-wv.com from-wy.com
        from.hr from.tv frontend.encr.app frontier frosinone.it frosta.no froya.no frusky.de* fspages.org fst.br
        ftpaccess.cc ftr fuchu.hiroshima.jp fuchu.tokyo.jp fuchu.toyama.jp fudai.iwate.jp fuefuki.yamanashi.jp fuel.aero
        fuettertdasnetz.de fuji.shizuoka.jp fujieda.shizuoka.jp fujiidera.osaka.jp fujikawa.shizuoka.jp
        fujikawa.yamanashi.jp fujikawaguchiko.yamanashi.jp fujimi.nagano.jp fujimi.saitama.jp fujimino.saitama.jp
        fujinomiya.shizuoka.jp fujioka.gunma.jp fujisato.akita.jp fujisawa.iwate.jp fujisawa.kanagawa.jp
        fujishiro.ibaraki.jp fujitsu fujiyoshida.yamanashi.jp fukagawa.hokkaido.jp fukaya.saitama.jp fukuchi.fukuoka.jp
        fukuchiyama.kyoto.jp fukudomi.saga.jp fukui.fukui.jp fukui.jp fukumitsu.toyama.jp fukuoka.jp fukuroi.shizuoka.jp
        fukusaki.hyogo.jp fukushima.fukushima.jp fukushima.hokkaido.jp fukushima.jp fukuyama.hiroshima.jp fun
        funabashi.chiba.jp funagata.yamagata.jp funahashi.toyama.jp functions.fnc.fr-par.scw.cloud fund funnels.cx
        fuoisku.no fuossko.no furano.hokkaido.jp furniture furubira.hokkaido.jp furudono.fukushima.jp furukawa.miyagi.jp
        fusa.no fuso.aichi.jp fussa.tokyo.jp futaba.fukushima.jp futbol futsu.nagasaki.jp futtsu.chiba.jp futurecms.at*
        futurehosting.at futuremailing.at fvg.it fyi fylkesbibl.no fyresdal.no g.bg g.se g12.br ga ga.us gadget.app
        gadget.host gaivuotna.no gal gal.ec gallery gallo gallup galsa.no gamagori.aichi.jp game game-host.org
        game-server.cc game.tw games games.hu gamo.shiga.jp gamvik.no gangaviika.no gangwon.kr gap garden gateway.dev*
        gaular.no gausdal.no gay gb gb.net gbiz gc.ca gcp.databricksapps.com gd gd.cn gda.pl gdansk.pl gdn gdynia.pl ge
        ge.it gea geek.nz geekgalaxy.com gehirn.ne.jp geisei.kochi.jp gen.in gen.mi.us gen.ng gen.nz gen.tr
        genkai.saga.jp genoa.it genova.it gent gentapps.com genting gentlentapis.com geo.br george georgia.su
        germanynorth-01.azurewebsites.net germanywestcentral-01.azurewebsites.net getmyip.com gets-it.net gf gg ggee
        ggf.br ggff.net gh gh.srv.us gi gialai.vn giehtavuoatna.no gielda.no gift gifts gifu.gifu.jp gifu.jp
        gig-harbor.wa.us giize.com gildeskal.no ginan.gifu.jp ginowan.okinawa.jp ginoza.okinawa.jp girlfriend.jp
        girly.jp giske.no git-pages.rit.edu git-repos.de gitbook.io github.app github.io githubpreview.dev
        githubusercontent.com gitlab.io gitpage.si gives giving gjemnes.no gjerdrum.no gjerstad.no gjesdal.no gjovik.no
        gkp.pk gl gl.srv.us glass gle gleeze.com glideos.app gliding.aero gliwice.pl global global.prod.fastly.net
        global.ssl.fastly.net globo glogow.pl gloomy.jp gloppen.no glug.org.uk gm gmail gmbh gmina.pl gmo gmx gn
        gniezno.pl go.biz.ng go.ci go.cr go.dyndns.org go.gov.br go.id go.it go.jp go.ke go.kr go.leg.br go.th go.tj
        go.tz go.ug gob.ar gob.bo gob.cl gob.cu gob.do gob.ec gob.es gob.gt gob.hn gob.mx gob.ni gob.pa gob.pe gob.pk
        gob.sv gob.ve gobo.wakayama.jp godaddy godo.gifu.jp gog.pk goiania.br goip.de gojome.akita.jp gok.pk
        gokase.miyazaki.jp gol.no gold goldpoint golf golffan.us gonna.jp gonohe.aomori.jp goodyear goog google
        googleapis.com googlecode.com gop gop.pk gorizia.it gorlice.pl gos.pk gose.nara.jp gosen.niigata.jp
        goshiki.hyogo.jp got gotdns.ch gotdns.com gotdns.org gotemba.shizuoka.jp goto.nagasaki.jp gotpantheon.com
        gotsu.shimane.jp goupile.fr gouv.ci gouv.fr gouv.ht gouv.km gouv.ml gouv.sn gov gov.ac gov.ae gov.af gov.al
        gov.ao gov.ar gov.as gov.au gov.az gov.ba gov.bb gov.bd gov.bf gov.bh gov.bm gov.bn gov.br gov.bs gov.bt gov.bw
        gov.by gov.bz gov.cd gov.cl gov.cm gov.cn gov.co gov.cx gov.cy gov.cz gov.dm gov.do gov.dz gov.ec gov.ee gov.eg
        gov.et gov.fj gov.gd gov.ge gov.gh gov.gi gov.gn gov.gr gov.gu gov.gy gov.hk gov.ie gov.il gov.in gov.io gov.iq
        gov.ir gov.it gov.jo gov.kg gov.kh gov.ki gov.km gov.kn gov.kp gov.kw gov.kz gov.la gov.lb gov.lc gov.lk gov.lr
        gov.ls gov.lt gov.lv gov.ly gov.ma gov.me gov.mg gov.mk gov.ml gov.mn gov.mo gov.mr gov.ms gov.mu gov.mv gov.mw
        gov.my gov.mz gov.na gov.nc.tr gov.ng gov.nl gov.nr gov.om gov.ph gov.pk gov.pl gov.pn gov.pr gov.ps gov.pt
        gov.pw gov.py gov.qa gov.rs gov.ru gov.rw gov.sa gov.sb gov.sc gov.scot gov.sd gov.sg gov.sh gov.sl gov.so
        gov.ss gov.sx gov.sy gov.tj gov.tl gov.tm gov.tn gov.to gov.tr gov.tt gov.tw gov.ua gov.ug gov.uk gov.vc gov.ve
        gov.vn gov.ws gov.ye gov.za gov.zm gov.zw government.aero govt.nz gp gq gr gr.com gr.eu.org gr.it gr.jp
        grafana-dev.net grainger grajewo.pl gran.no grane.no granvin.no graphic.design graphics gratangen.no gratis
        grayjayleagues.com greater.jp grebedoc.dev green greta.fr grimstad.no gripe griw.gov.pl grocery grok.me
        groks-the.info groks-this.info grondar.za grong.no grosseto.it groundhandling.aero group group.aero grozny.ru
        grozny.su grp.lk gru.br grue.no gs gs.aa.no gs.ah.no gs.bu.no gs.cn gs.fm.no gs.hl.no gs.hm.no gs.jan-mayen.no
        gs.mr.no gs.nl.no gs.nt.no gs.of.no gs.ol.no gs.oslo.no gs.rl.no gs.sf.no gs.st.no gs.svalbard.no gs.tm.no
        gs.tr.no gs.va.no gs.vf.no gsj.bz gsm.pl gt gu gu.cc gu.us guam.gu gub.uy gucci guge guide guitars gujarat.in
        gujo.gifu.jp gulen.no gunma.jp guovdageaidnu.no guru gushikami.okinawa.jp gv.ao gv.at gv.uy gv.vc gw gwangju.kr
        gx.cn gy gye.ec gyeongbuk.kr gyeonggi.kr gyeongnam.kr gyokuto.kumamoto.jp gz.cn h.bg h.se ha.cn ha.no
        habikino.osaka.jp habmer.no haboro.hokkaido.jp hacca.jp hachijo.tokyo.jp hachinohe.aomori.jp hachioji.tokyo.jp
        hachirogata.akita.jp hackclub.app hadano.kanagawa.jp hadsel.no haebaru.okinawa.jp haga.tochigi.jp hagebostad.no
        hagi.yamaguchi.jp hagiang.vn haibara.shizuoka.jp haiduong.vn haiphong.vn hair hakata.fukuoka.jp
        hakodate.hokkaido.jp hakone.kanagawa.jp hakuba.nagano.jp hakui.ishikawa.jp hakusan.ishikawa.jp halden.no
        half.host halfmoon.jp halsa.no ham-radio-op.net hamada.shimane.jp hamamatsu.shizuoka.jp hamar.no hamaroy.no
        hamatama.saga.jp hamatonbetsu.hokkaido.jp hamburg hammarfeasta.no hammerfest.no hamura.tokyo.jp hanam.vn
        hanamaki.iwate.jp hanamigawa.chiba.jp hanawa.fukushima.jp handa.aichi.jp handcrafted.jp hanggliding.aero hangout
        hannan.osaka.jp hanno.saitama.jp hanoi.vn hanyu.saitama.jp hapmir.no happou.akita.jp hara.nagano.jp haram.no
        hareid.no harima.hyogo.jp harstad.no hasama.oita.jp hasami.nagasaki.jp hashbang.sh hashikami.aomori.jp
        hashima.gifu.jp hashimoto.wakayama.jp hasuda.saitama.jp hasura-app.io hasura.app hasvik.no hateblo.jp
        hatenablog.com hatenablog.jp hatenadiary.com hatenadiary.jp hatenadiary.org hatinh.vn hatogaya.saitama.jp
        hatoyama.saitama.jp hatsukaichi.hiroshima.jp hattfjelldal.no haugesund.no haugiang.vn haus hayakawa.yamanashi.jp
        hayashima.okayama.jp hazu.aichi.jp hb.cldmail.ru hb.cn hbo hdfc hdfcbank he.cn health health-carereform.com
        health.nz health.vn healthcare heavy.jp heguri.nara.jp heimdns.de heimdns.online heiyu.space hekinan.aichi.jp
        helioho.st heliohost.us help helsinki hemne.no hemnes.no hemsedal.no hepforge.org her.jp herad.no
        hercules-app.com hercules-dev.com here here-for-more.info here.now hermes herokuapp.com heroy.more-og-romsdal.no
        heroy.nordland.no heteml.net heyflow.page heyflow.site hf.space hi.cn hi.us hicam.net hichiso.gifu.jp
        hida.gifu.jp hidaka.hokkaido.jp hidaka.kochi.jp hidaka.saitama.jp hidaka.wakayama.jp hidns.co hidns.vip
        higashi.fukuoka.jp higashi.fukushima.jp higashi.okinawa.jp higashiagatsuma.gunma.jp higashichichibu.saitama.jp
        higashihiroshima.hiroshima.jp higashiizu.shizuoka.jp higashiizumo.shimane.jp higashikagawa.kagawa.jp
        higashikagura.hokkaido.jp higashikawa.hokkaido.jp higashikurume.tokyo.jp higashimatsushima.miyagi.jp
        higashimatsuyama.saitama.jp higashimurayama.tokyo.jp higashinaruse.akita.jp higashine.yamagata.jp
        higashiomi.shiga.jp higashiosaka.osaka.jp higashishirakawa.gifu.jp higashisumiyoshi.osaka.jp
        higashitsuno.kochi.jp higashiura.aichi.jp higashiyama.kyoto.jp higashiyamato.tokyo.jp higashiyodogawa.osaka.jp
        higashiyoshino.nara.jp hiho.jp hiji.oita.jp hikari.yamaguchi.jp hikawa.shimane.jp hikimi.shimane.jp
        hikone.shiga.jp himeji.hyogo.jp himeshima.oita.jp himi.toyama.jp hino.tokyo.jp hino.tottori.jp hinode.tokyo.jp
        hinohara.tokyo.jp hioki.kagoshima.jp hiphop hippy.jp hirado.nagasaki.jp hiraizumi.iwate.jp hirakata.osaka.jp
        hiranai.aomori.jp hirara.okinawa.jp hirata.fukushima.jp hiratsuka.kanagawa.jp hiraya.nagano.jp
        hirogawa.wakayama.jp hirokawa.fukuoka.jp hirono.fukushima.jp hirono.iwate.jp hiroo.hokkaido.jp
        hirosaki.aomori.jp hiroshima.jp hisamitsu hisayama.fukuoka.jp hita.oita.jp hitachi hitachi.ibaraki.jp
        hitachinaka.ibaraki.jp hitachiomiya.ibaraki.jp hitachiota.ibaraki.jp hitra.no hiv hizen.saga.jp hjartdal.no
        hjelmeland.no hk hk.cn hk.com hk.org hkt hl.cn hl.no hlx.live hlx.page hm hm.no hn hn.cn hoabinh.vn
        hobby-site.com hobby-site.org hobol.no hockey hof.no hofu.yamaguchi.jp hokkaido.jp hokksund.no
        hokuryu.hokkaido.jp hokuto.hokkaido.jp hokuto.yamanashi.jp hol.no holdings hole.no holiday holmestrand.no
        holtalen.no holy.jp home-webserver.de home.arpa home.dyndns.org home64.de homebuilt.aero homedepot homedns.org
        homeftp.net homeftp.org homegoods homeip.net homelinux.com homelinux.net homelinux.org homes homesecuritymac.com
        homesecuritypc.com homesense homesklep.pl homeunix.com homeunix.net homeunix.org honai.ehime.jp
        honbetsu.hokkaido.jp honda honefoss.no hongo.hiroshima.jp honjo.akita.jp honjo.saitama.jp honjyo.akita.jp
        hoplix.shop hopto.me hopto.org hoquiam.wa.us hornindal.no horokanai.hokkaido.jp horonobe.hokkaido.jp horse
        horten.no hosp.uk hospital host hosted-by-files.com hosted.app* hostedpi.com hosting hosting-cluster.nl
        hosting.myjino.ru* hosting.ovh.net* hostyhosting.io hot hotel hotel.hu hotel.lk hotel.tz hotels
        hotelwithflight.com hotmail house how hoyanger.no hoylandet.no hr hr.eu.org hra.health hrsn.dev hs.kr hsbc
        hstgr.cloud ht httpbin.org hu hu.eu.org hu.net hue.vn hughes huissier-justice.fr hungry.jp hungyen.vn hurdal.no
        hurum.no hvaler.no hyatt hyllestad.no hyogo.jp hypernode.io hyuga.miyazaki.jp hyundai i.bg i.ng i.ph i.se
        i234.me ia.bo ia.br ia.us ia.ve iamallama.com ibara.okayama.jp ibaraki.ibaraki.jp ibaraki.jp ibaraki.osaka.jp
        ibestad.no ibigawa.gifu.jp ibm ibr.ec ibxos.it ic.gov.pl icbc ice ichiba.tokushima.jp ichihara.chiba.jp
        ichikai.tochigi.jp ichikawa.chiba.jp ichikawa.hyogo.jp ichikawamisato.yamanashi.jp ichinohe.iwate.jp
        ichinomiya.aichi.jp ichinomiya.chiba.jp ichinoseki.iwate.jp icp.net* icp0.io icp1.io icu icurus.jp id id.au
        id.bd id.cv id.firewalledreplit.co id.fj id.forgerock.io id.ir id.lv id.ly id.pub* id.repl.co id.replit.app
        id.us id.vn ide.kyoto.jp idf.il idrett.no idv.hk idv.tw ie ie.eu.org ieee if.ua ifm ifr.fr-par.scw.cloud
        ifr.nl-ams.scw.cloud ifr.pl-waw.scw.cloud iglesias-carbonia.it iglesiascarbonia.it iheya.okinawa.jp
        iida.nagano.jp iide.yamagata.jp iijima.nagano.jp iitate.fukushima.jp iiyama.nagano.jp iizuka.fukuoka.jp
        iizuna.nagano.jp ikano ikaruga.nara.jp ikata.ehime.jp ikawa.akita.jp ikeda.fukui.jp ikeda.gifu.jp
        ikeda.hokkaido.jp ikeda.nagano.jp ikeda.osaka.jp iki.fi iki.nagasaki.jp ikoma.nara.jp ikusaka.nagano.jp il
        il-central-1.airflow.amazonaws.com* il-central-1.elasticbeanstalk.com il-central-1.rds.amazonaws.com* il.eu.org
        il.us ilawa.pl iliadboxos.it ilovecollege.info im im.it imabari.ehime.jp imagine-proxy.work imagine.diy
        imakane.hokkaido.jp imamat imari.saga.jp imb.br imdb imizu.toyama.jp immo immobilien imperia.it in in-addr.arpa
        in-berlin.de in-brb.de in-butter.de in-dsl.de in-dsl.net in-dsl.org in-the-band.net in-vpn.de in-vpn.net
        in-vpn.org in.eu.org in.futurecms.at* in.net in.ngrok.io in.ni in.rs in.th in.ua in.us ina.ibaraki.jp
        ina.nagano.jp ina.saitama.jp inabe.mie.jp inagawa.hyogo.jp inagi.tokyo.jp inami.toyama.jp inami.wakayama.jp
        inashiki.ibaraki.jp inatsuki.fukuoka.jp inawashiro.fukushima.jp inazawa.aichi.jp inbrowser.dev* inbrowser.link*
        inc inc.hk incheon.kr ind.br ind.gt ind.in ind.kw ind.tn independent-commission.uk independent-inquest.uk
        independent-inquiry.uk independent-panel.uk independent-review.uk inderoy.no indevs.in
        indiasouthcentral-01.azurewebsites.net indigena.bo indonesiacentral-01.azurewebsites.net industria.bo industries
        ine.kyoto.jp inf.br inf.cu inf.mk inf.ua infiniti info info.az info.bb info.bd info.bj info.bo info.cx info.ec
        info.eg info.et info.fj info.gu info.ht info.hu info.in info.ke info.ki info.la info.ls info.ml info.mv info.nf
        info.ni info.nr info.pl info.pr info.ro info.sd info.tn info.tr info.tt info.tz info.ve info.vn info.zm ing
        ing.pa ingatlan.hu ink ino.kochi.jp inst.ml instance.datadetect.com instances.spawn.cc institute insurance
        insurance.aero insure int int.apple int.ar int.az int.bo int.ci int.cv int.eu.org int.in int.la int.lk int.mv
        int.mw int.ni int.pt int.ru int.tj int.ve int.vn international internet-dns.de internet.in intl.tn intouch.email
        intuit inuyama.aichi.jp investments inzai.chiba.jp io io.in io.kr io.noc.ruhr-uni-bochum.de io.vn iobb.net
        iopsys.se ip-ddns.com ip-dynamic.org ip.linodeusercontent.com ip6.arpa ipfs.nftstorage.link ipfs.storacha.link
        ipfs.w3s.link ipifony.net ipiranga ipv64.de ipv64.net iq iqhs.pl ir ir.md iran.liara.run iris.arpa irish
        iruma.saitama.jp is is-a-anarchist.com is-a-blogger.com is-a-bookkeeper.com is-a-bruinsfan.org
        is-a-bulls-fan.com is-a-candidate.org is-a-caterer.com is-a-celticsfan.org is-a-chef.com is-a-chef.net
        is-a-chef.org is-a-conservative.com is-a-cpa.com is-a-cubicle-slave.com is-a-democrat.com is-a-designer.com
        is-a-doctor.com is-a-financialadvisor.com is-a-fullstack.dev is-a-geek.com is-a-geek.net is-a-geek.org
        is-a-good.dev is-a-green.com is-a-guru.com is-a-hard-worker.com is-a-hunter.com is-a-knight.org
        is-a-landscaper.com is-a-lawyer.com is-a-liberal.com is-a-libertarian.com is-a-linux-user.org is-a-llama.com
        is-a-musician.com is-a-nascarfan.com is-a-nurse.com is-a-painter.com is-a-patsfan.org is-a-personaltrainer.com
        is-a-photographer.com is-a-player.com is-a-republican.com is-a-rockstar.com is-a-socialist.com is-a-soxfan.org
        is-a-student.com is-a-teacher.com is-a-techie.com is-a-therapist.com is-a.dev is-an-accountant.com
        is-an-actor.com is-an-actress.com is-an-anarchist.com is-an-artist.com is-an-engineer.com is-an-entertainer.com
        is-by.us is-certified.com is-cool.dev is-found.org is-gone.com is-into-anime.com is-into-cars.com
        is-into-cartoons.com is-into-games.com is-leet.com is-local.org is-lost.org is-not-a.dev is-not-certified.com
        is-saved.org is-slick.com is-uberleet.com is-very-bad.org is-very-evil.org is-very-good.org is-very-nice.org
        is-very-sweet.org is-with-theband.com is.eu.org is.gov.pl is.it isa-geek.com isa-geek.net isa-geek.org
        isa-hockeynut.com isa.kagoshima.jp isa.us isahaya.nagasaki.jp ise.mie.jp isehara.kanagawa.jp isen.kagoshima.jp
        isernia.it iserv.dev iserv.host iservschule.de isesaki.gunma.jp ishigaki.okinawa.jp ishikari.hokkaido.jp
        ishikawa.fukushima.jp ishikawa.jp ishikawa.okinawa.jp ishinomaki.miyagi.jp isla.pr ismaili ispmanager.name
        israelcentral-01.azurewebsites.net israelnorthwest-01.azurewebsites.net isshiki.aichi.jp issmarterthanyou.com
        ist istanbul isteingeek.de istmein.de isumi.chiba.jp it it.ao it.bd it.com it.eu.org it.kr
        it1.eur.aruba.jenv-aruba.cloud it1.jenv-aruba.cloud itabashi.tokyo.jp itako.ibaraki.jp itakura.gunma.jp
        italynorth-01.azurewebsites.net itami.hyogo.jp itano.tokushima.jp itau itayanagi.aomori.jp itcouldbewor.se
        itigo.jp ito.shizuoka.jp itoigawa.niigata.jp itoman.okinawa.jp its.me itv ivano-frankivsk.ua ivanovo.su
        iveland.no ivgu.no ivory.ne.jp iwade.wakayama.jp iwafune.tochigi.jp iwaizumi.iwate.jp iwaki.fukushima.jp
        iwakuni.yamaguchi.jp iwakura.aichi.jp iwama.ibaraki.jp iwamizawa.hokkaido.jp iwanai.hokkaido.jp
        iwanuma.miyagi.jp iwata.shizuoka.jp iwate.iwate.jp iwate.jp iwatsuki.saitama.jp iwi.nz iyo.ehime.jp iz.hr
        izena.okinawa.jp izu.shizuoka.jp izumi.kagoshima.jp izumi.osaka.jp izumiotsu.osaka.jp izumisano.osaka.jp
        izumizaki.fukushima.jp izumo.shimane.jp izumozaki.niigata.jp izunokuni.shizuoka.jp j.bg j.layershift.co.uk
        j.scaleforce.com.cy j.scaleforce.net jab.br jaguar jambyl.su jampa.br jan-mayen.no
        japaneast-01.azurewebsites.net japanwest-01.azurewebsites.net java jaworzno.pl jc.neen.it jcb
        jcloud-ver-jpc.ik-server.com jcloud.ik-server.com jcloud.kz jdevcloud.com jdf.br je jed.wafaicloud.com jeep
        jeez.jp jeju.kr jelastic.dogado.eu jelastic.saveincloud.net jelastic.team jele.cloud jele.club jele.host jele.io
        jele.site jelenia-gora.pl jellybean.jp jeonbuk.kr jeonnam.kr jessheim.no jetzt jevnaker.no jewelry jgora.pl
        jinsekikogen.hiroshima.jp jio jioindiacentral-01.azurewebsites.net jioindiawest-01.azurewebsites.net jl.cn jll
        jls-sto1.elastx.net jls-sto2.elastx.net jls-sto3.elastx.net jm* jmp jnj jo joboji.iwate.jp jobs joburg
        joetsu.niigata.jp jogasz.hu johana.toyama.jp joinmc.link joinville.br jolster.no jondal.no jor.br jorpeland.no
        joso.ibaraki.jp jot jote.cloud jotelulu.cloud journal.aero journalist.aero jouwweb.site joy joyo.kyoto.jp
        jozi.biz jp jp.eu.org jp.jp4.object.ncpstorage.com jp.jp4.object.private.ncpstorage.com
        jp.jp5.object.ncpstorage.com jp.jp5.object.private.ncpstorage.com jp.net jp.ngrok.io jp.object.ncpstorage.com
        jp.object.private.ncpstorage.com jpmorgan jpn.com jpn.org jprs js.cn js.org js.wpenginepowered.com ju.mp juegos
        jur.pro jus.br jx.cn k.bg k.se k12.ak.us k12.al.us k12.ar.us k12.as.us k12.az.us k12.ca.us k12.co.us k12.ct.us
        k12.dc.us k12.ec k12.fl.us k12.ga.us k12.gu.us k12.ia.us k12.id.us k12.il k12.il.us k12.in.us k12.ks.us
        k12.ky.us k12.la.us k12.ma.us k12.md.us k12.me.us k12.mi.us k12.mn.us k12.mo.us k12.ms.us k12.mt.us k12.nc.us
        k12.ne.us k12.nh.us k12.nj.us k12.nm.us k12.nv.us k12.ny.us k12.oh.us k12.ok.us k12.or.us k12.pa.us k12.pr.us
        k12.sc.us k12.tn.us k12.tr k12.tx.us k12.ut.us k12.va.us k12.vi k12.vi.us k12.vt.us k12.wa.us k12.wi.us
        k12.wy.us k8s.fr-par.scw.cloud k8s.nl-ams.scw.cloud k8s.pl-waw.scw.cloud k8s.scw.cloud kaas.gg kadena.okinawa.jp
        kadogawa.miyazaki.jp kadoma.osaka.jp kafjord.no kafk.fr-par.scw.cloud kafk.nl-ams.scw.cloud
        kafk.pl-waw.scw.cloud kaga.ishikawa.jp kagami.kochi.jp kagamiishi.fukushima.jp kagamino.okayama.jp kagawa.jp
        kagoshima.jp kagoshima.kagoshima.jp kaho.fukuoka.jp kahoku.ishikawa.jp kahoku.yamagata.jp kai.yamanashi.jp
        kainan.tokushima.jp kainan.wakayama.jp kaisei.kanagawa.jp kaita.hiroshima.jp kaizuka.osaka.jp
        kakamigahara.gifu.jp kakegawa.shizuoka.jp kakinoki.shimane.jp kakogawa.hyogo.jp kakuda.miyagi.jp kalisz.pl
        kalmykia.ru kalmykia.su kaluga.su kamagaya.chiba.jp kamaishi.iwate.jp kamakura.kanagawa.jp kameoka.kyoto.jp
        kameyama.mie.jp kami.kochi.jp kami.miyagi.jp kamiamakusa.kumamoto.jp kamifurano.hokkaido.jp kamigori.hyogo.jp
        kamiichi.toyama.jp kamiizumi.saitama.jp kamijima.ehime.jp kamikawa.hokkaido.jp kamikawa.hyogo.jp
        kamikawa.saitama.jp kamikitayama.nara.jp kamikoani.akita.jp kamimine.saga.jp kaminokawa.tochigi.jp
        kaminoyama.yamagata.jp kamioka.akita.jp kamisato.saitama.jp kamishihoro.hokkaido.jp kamisu.ibaraki.jp
        kamisunagawa.hokkaido.jp kamitonda.wakayama.jp kamitsue.oita.jp kamo.kyoto.jp kamo.niigata.jp
        kamoenai.hokkaido.jp kamogawa.chiba.jp kanagawa.jp kanan.osaka.jp kanazawa.ishikawa.jp kanegasaki.iwate.jp
        kaneyama.fukushima.jp kaneyama.yamagata.jp kani.gifu.jp kanie.aichi.jp kanmaki.nara.jp kanna.gunma.jp
        kannami.shizuoka.jp kanonji.kagawa.jp kanoya.kagoshima.jp kanra.gunma.jp kanuma.tochigi.jp kanzaki.saga.jp
        kapsi.fi karacol.su karaganda.su karasjohka.no karasjok.no karasuyama.tochigi.jp karatsu.saga.jp karelia.su
        kariwa.niigata.jp kariya.aichi.jp karlsoy.no karmoy.no karpacz.pl kartuzy.pl karuizawa.nagano.jp
        karumai.iwate.jp kasahara.gifu.jp kasai.hyogo.jp kasama.ibaraki.jp kasamatsu.gifu.jp kasaoka.okayama.jp
        kashiba.nara.jp kashihara.nara.jp kashima.ibaraki.jp kashima.saga.jp kashiwa.chiba.jp kashiwara.osaka.jp
        kashiwazaki.niigata.jp kasserver.com kasuga.fukuoka.jp kasuga.hyogo.jp kasugai.aichi.jp kasukabe.saitama.jp
        kasumigaura.ibaraki.jp kasuya.fukuoka.jp kaszuby.pl katagami.akita.jp katano.osaka.jp katashina.gunma.jp
        katori.chiba.jp katowice.pl katsuragi.nara.jp katsuragi.wakayama.jp katsushika.tokyo.jp katsuura.chiba.jp
        katsuyama.fukui.jp kaufen kautokeino.no kawaba.gunma.jp kawachinagano.osaka.jp kawagoe.mie.jp kawagoe.saitama.jp
        kawaguchi.saitama.jp kawahara.tottori.jp kawai.iwate.jp kawai.nara.jp kawaiishop.jp kawajima.saitama.jp
        kawakami.nagano.jp kawakami.nara.jp kawakita.ishikawa.jp kawamata.fukushima.jp kawaminami.miyazaki.jp
        kawanabe.kagoshima.jp kawanehon.shizuoka.jp kawanishi.hyogo.jp kawanishi.nara.jp kawanishi.yamagata.jp
        kawara.fukuoka.jp kawasaki.jp* kawasaki.miyagi.jp kawatana.nagasaki.jp kawaue.gifu.jp kawazu.shizuoka.jp
        kayabe.hokkaido.jp kazimierz-dolny.pl kazo.saitama.jp kazuno.akita.jp kddi kdns.fr ke keenetic.io keenetic.link
        keenetic.name keenetic.pro keisen.fukuoka.jp keliweb.cloud kembuchi.hokkaido.jp kep.tr kepno.pl kerryhotels
        kerryproperties ketrzyn.pl keymachine.de keyport.wa.us keyword-on.net kfh kg kg.kr kh kh.ua khakassia.su
        khanhhoa.vn kharkiv.ua kharkov.ua kherson.ua khmelnitskiy.ua khmelnytskyi.ua khplay.nl khsj.cn ki kia
        kibichuo.okayama.jp kicks-ass.net kicks-ass.org kids kiengiang.vn kiev.ua kiho.mie.jp kihoku.ehime.jp
        kijo.miyazaki.jp kikirara.jp kikonai.hokkaido.jp kikuchi.kumamoto.jp kikugawa.shizuoka.jp kill.jp kilo.jp
        kiloapps.ai kiloapps.io kim kimino.wakayama.jp kimitsu.chiba.jp kimobetsu.hokkaido.jp kin.okinawa.jp kin.one*
        kin.pub* kindle kinghost.net kingston.wa.us kinko.kagoshima.jp kinokawa.wakayama.jp kira.aichi.jp kirara.st
        kirkenes.no kirovograd.ua kiryu.gunma.jp kisarazu.chiba.jp kishiwada.osaka.jp kiso.nagano.jp
        kisofukushima.nagano.jp kisosaki.mie.jp kita.kyoto.jp kita.osaka.jp kita.tokyo.jp kitaaiki.nagano.jp
        kitaakita.akita.jp kitadaito.okinawa.jp kitagata.gifu.jp kitagata.saga.jp kitagawa.kochi.jp kitagawa.miyazaki.jp
        kitahata.saga.jp kitahiroshima.hokkaido.jp kitakami.iwate.jp kitakata.fukushima.jp kitakata.miyazaki.jp
        kitakyushu.jp* kitami.hokkaido.jp kitamoto.saitama.jp kitanakagusuku.okinawa.jp kitashiobara.fukushima.jp
        kitaura.miyazaki.jp kitayama.wakayama.jp kitchen kiwa.mie.jp kiwi kiwi.nz kiyama.saga.jp kiyokawa.kanagawa.jp
        kiyosato.hokkaido.jp kiyose.tokyo.jp kiyosu.aichi.jp kizu.kyoto.jp klabu.no klepp.no klodzko.pl km km.ua
        kmpsp.gov.pl kn knowsitall.info knx-server.net kobayashi.miyazaki.jp kobe.jp* kobierzyce.pl kochi.jp
        kochi.kochi.jp kodaira.tokyo.jp koeln kofu.yamanashi.jp koga.fukuoka.jp koga.ibaraki.jp koganei.tokyo.jp
        koge.tottori.jp koka.shiga.jp kokonoe.oita.jp kokubunji.tokyo.jp kolobrzeg.pl komae.tokyo.jp komagane.nagano.jp
        komaki.aichi.jp komatsu komatsu.ishikawa.jp komatsushima.tokushima.jp komforb.se kommunalforbund.se kommune.no
        komono.mie.jp komoro.nagano.jp komvux.se konan.aichi.jp konan.shiga.jp kongsberg.no kongsvinger.no konin.pl
        konskowola.pl konsulat.gov.pl kontum.vn konyvelo.hu koobin.events koori.fukushima.jp kop.id kopervik.no
        koreacentral-01.azurewebsites.net koreasouth-01.azurewebsites.net koriyama.fukushima.jp koryo.nara.jp
        kosai.shizuoka.jp kosaka.akita.jp kosei.shiga.jp kosher koshigaya.saitama.jp koshimizu.hokkaido.jp
        koshu.yamanashi.jp kosuge.yamanashi.jp kota.aichi.jp koto.shiga.jp koto.tokyo.jp kotohira.kagawa.jp
        kotoura.tottori.jp kouhoku.saga.jp kounosu.saitama.jp kouyama.kagoshima.jp kouzushima.tokyo.jp koya.wakayama.jp
        koza.wakayama.jp kozagawa.wakayama.jp kozaki.chiba.jp kozow.com kp kpmg kpn kppsp.gov.pl kr
        kr-naver-dev.ncloudstorage.com kr-naver-dev.website.ncloudstorage.com kr-naver.ncloudstorage.com
        kr-naver.website.ncloudstorage.com kr-private.gov-ncloudstorage.com kr-private.ncloudstorage.com kr.eu.org
        kr.gov-ncloudstorage.com kr.it kr.ncloudstorage.com kr.object.fin-ncloudstorage.com
        kr.object.gov-ncloudstorage.com kr.object.ncloudstorage.com kr.object.ncpstorage.com
        kr.object.private.fin-ncloudstorage.com kr.object.private.gov-ncloudstorage.com
        kr.object.private.ncloudstorage.com kr.object.private.ncpstorage.com kr.objectstorage.ncloud.com kr.ua
        kr.website.ncloudstorage.com kraanghke.no kragero.no krakow.pl krasnik.pl krasnodar.su krd kred krellian.net
        kristiansand.no kristiansund.no krodsherad.no krokstadelva.no kropyvnytskyi.ua krs.object.gov-ncloudstorage.com
        krs.object.private.gov-ncloudstorage.com krym.ua ks.ua ks.us kuchinotsu.nagasaki.jp kudamatsu.yamaguchi.jp
        kudoyama.wakayama.jp kui.hiroshima.jp kuji.iwate.jp kuju.oita.jp kujukuri.chiba.jp kuki.saitama.jp
        kuleuven.cloud kumagaya.saitama.jp kumakogen.ehime.jp kumamoto.jp kumamoto.kumamoto.jp kumano.hiroshima.jp
        kumano.mie.jp kumatori.osaka.jp kumejima.okinawa.jp kumenan.okayama.jp kumiyama.kyoto.jp kunden.ortsinfo.at*
        kunigami.okinawa.jp kunimi.fukushima.jp kunisaki.oita.jp kunitachi.tokyo.jp kunitomi.miyazaki.jp
        kunneppu.hokkaido.jp kunohe.iwate.jp kuokgroup kurashiki.okayama.jp kurate.fukuoka.jp kure.hiroshima.jp
        kurgan.su kuriyama.hokkaido.jp kurobe.toyama.jp kurogi.fukuoka.jp kuroishi.aomori.jp kuroiso.tochigi.jp
        kuromatsunai.hokkaido.jp kuron.jp kurotaki.nara.jp kurume.fukuoka.jp kusatsu.gunma.jp kusatsu.shiga.jp
        kushima.miyazaki.jp kushimoto.wakayama.jp kushiro.hokkaido.jp kustanai.ru kustanai.su kusu.oita.jp
        kutchan.hokkaido.jp kutno.pl kuwana.mie.jp kuzumaki.iwate.jp kv.ua kvafjord.no kvalsund.no kvam.no kvanangen.no
        kvinesdal.no kvinnherad.no kviteseid.no kvitsoy.no kw kwp.gov.pl kwpsp.gov.pl ky ky.us kyiv.ua kyonan.chiba.jp
        kyotamba.kyoto.jp kyotanabe.kyoto.jp kyotango.kyoto.jp kyoto kyoto.jp kyowa.akita.jp kyowa.hokkaido.jp
        kyuragi.saga.jp kz
        """
}
